/** What was to be called is not offered any more as it was when the model, or a person, decided on it. */
export class ToolChanged extends Error {
  override readonly name = 'ToolChanged';
  override readonly message = 'The MCP server changed this tool before it was called, so it did not run.';
}
