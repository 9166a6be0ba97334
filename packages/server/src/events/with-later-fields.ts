type Data = Record<string, unknown>;

/** The data of a stored event, with the fields that events of its kind did not have yet when it was stored. */
export function withLaterFields(type: string, data: unknown): unknown {
  if (!isObject(data)) return data;
  if (type === 'turn.completed') return { handed_off: false, ...data };
  if (isObject(data['message'])) return { ...data, message: withAuthor(data['message']) };
  if (isObject(data['user_message'])) return { ...data, user_message: withAuthor(data['user_message']) };
  return data;
}

function withAuthor(message: Data): Data {
  return 'author_name' in message ? message : { ...message, author_name: null };
}

function isObject(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
