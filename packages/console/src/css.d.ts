/** Style sheets are loaded by the page. */
declare module '*.css';
