export { createFiles } from './create-files.ts';
