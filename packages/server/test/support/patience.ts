/**
 * How long a test waits before it gives up. It only ends tests that hang: a test about speed has its own limit, and a
 * busy machine must not fail any.
 */
export const patienceMs = 120_000;
