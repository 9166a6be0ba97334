/**
 * How long a test waits for what is to happen before it calls it missing. It only ends what hangs: a test
 * that is about speed says its own limit, and a busy machine fails nothing.
 */
export const patienceMs = 60_000;
