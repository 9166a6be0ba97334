/** The service is gone ten seconds after a signal, so each part has to be faster than the one that waits for it. */
export const workerStopMilliseconds = 8_500;
/** A worker that still runs is stuck, or not even running. */
export const workerKillMilliseconds = 8_800;
/** Leaves a moment to stop PostgreSQL. */
export const supervisorStopMilliseconds = 9_800;
