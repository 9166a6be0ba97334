/** Without characters that PostgreSQL cannot store: a model may write anything. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

export function storableJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_key, entry: unknown) =>
    typeof entry === 'string' ? storable(entry) : entry,
  ) as Value;
}
