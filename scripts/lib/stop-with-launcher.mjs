// Loaded before the server, which runs in a process group of its own: a launcher that is killed (kill -9, even of its
// whole group) cannot take it along. The closed channel tells, and the server stops as if asked to. Workers load it too:
// their channel closes with their supervisor, and they are stopping by the time that this signal arrives.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// Listening must not keep a server alive that has nothing left to do.
process.channel?.unref();
