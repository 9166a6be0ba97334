import { runFileProcess } from './process/run-file-process.ts';

runFileProcess();
