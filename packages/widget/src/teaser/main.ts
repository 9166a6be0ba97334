export { createTeaser } from './create-teaser.ts';
