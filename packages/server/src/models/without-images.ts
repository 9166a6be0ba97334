import type { ModelRequest } from './model.ts';

/** A request without images, for a provider that cannot read one of them and refuses all of it. */
export function withoutImages(request: ModelRequest): ModelRequest {
  const messages = request.messages.map((message) => {
    if (message.role !== 'tool' || !message.images) return message;
    const { images: _refused, content, ...result } = message;
    return {
      ...result,
      content: `${content}\n\n[The images are not shown after all, because they cannot be read.]`,
    };
  });
  return { ...request, messages };
}
