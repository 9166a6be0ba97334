/** The server forgot the session in which it worked on a task. */
export class TaskLost extends Error {
  override readonly name = 'TaskLost';
  override readonly message =
    'The MCP server lost the session, so it is not known whether its task was carried out.';
}
