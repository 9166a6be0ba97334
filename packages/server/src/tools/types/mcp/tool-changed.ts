/** The tool to be called is no longer what it was when the model, or a person, decided to call it. */
export class ToolChanged extends Error {
  override readonly name = 'ToolChanged';
  override readonly message = 'The MCP server changed this tool before it was called, so it did not run.';
}
