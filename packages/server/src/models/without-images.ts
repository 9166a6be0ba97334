import type { ModelRequest } from './model.ts';

/** A request without images, for a provider that cannot read one of them and refuses all of it. */
export function withoutImages(request: ModelRequest): ModelRequest {
  const messages = request.messages.map((message) => {
    if (message.role === 'assistant' || !message.images) return message;
    const { images: _refused, ...rest } = message;
    const note = '[The images are not shown after all, because they cannot be read.]';
    return { ...rest, content: `${message.content}\n\n${note}` };
  });
  return { ...request, messages };
}
