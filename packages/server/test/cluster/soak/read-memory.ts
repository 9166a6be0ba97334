/** Bytes. */
export interface Memory {
  heap: number;
  resident: number;
}

/** What a process holds that was started with `--inspect`, after a complete collection of garbage. */
export async function readMemory(inspectPort: number): Promise<Memory> {
  const answer = await fetch(`http://127.0.0.1:${inspectPort}/json/list`);
  const [target] = (await answer.json()) as { webSocketDebuggerUrl: string }[];
  if (!target) throw new Error('The process cannot be inspected.');
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  try {
    await nextEvent(socket, 'open');
    // What finalizers let go of is collected by the second one.
    await ask(socket, 1, 'HeapProfiler.collectGarbage');
    await ask(socket, 2, 'HeapProfiler.collectGarbage');
    const expression = 'process.memoryUsage()';
    const { result } = await ask(socket, 3, 'Runtime.evaluate', { expression, returnByValue: true });
    return { heap: result.value.heapUsed, resident: result.value.rss };
  } finally {
    socket.close();
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- what the protocol of the inspector answers
async function ask(socket: WebSocket, id: number, method: string, params: object = {}): Promise<any> {
  socket.send(JSON.stringify({ id, method, params }));
  for (;;) {
    const { data } = (await nextEvent(socket, 'message')) as MessageEvent<string>;
    const reply = JSON.parse(data) as { id?: number; result?: unknown; error?: { message: string } };
    if (reply.id !== id) continue;
    if (reply.error) throw new Error(`${method} failed: ${reply.error.message}`);
    return reply.result;
  }
}

function nextEvent(socket: WebSocket, name: 'open' | 'message'): Promise<Event> {
  return new Promise((resolve, reject) => {
    socket.addEventListener(name, resolve, { once: true });
    socket.addEventListener('close', () => reject(new Error('The inspected process is gone.')), {
      once: true,
    });
  });
}
