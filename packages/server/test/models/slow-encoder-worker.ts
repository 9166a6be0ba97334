const { instantiate } = WebAssembly;

// The real worker, except that WebAssembly takes longer to start than the weights take to read.
Object.assign(WebAssembly, {
  async instantiate(...given: unknown[]) {
    await new Promise((wake) => setTimeout(wake, 1_000));
    return Reflect.apply(instantiate, WebAssembly, given);
  },
});
await import('../../src/models/embeddings/builtin/encoder-worker.ts');
