export { createForm } from './create-form.ts';
