export { createActions } from './create-actions.ts';
