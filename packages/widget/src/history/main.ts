export { createHistory } from './create-history.ts';
