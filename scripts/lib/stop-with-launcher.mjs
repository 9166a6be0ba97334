// Loaded before the server. It runs in a process group of its own, so a launcher that is killed (kill -9, also of the
// whole group) cannot take it along: the closed channel tells, and the server stops as if asked to.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
