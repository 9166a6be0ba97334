const names: Record<string, string> = {
  'recordings-to-bucket': 'Recording to store in the bucket',
  'run-webhooks': 'Webhook about a run',
  'post-call': 'Work after a call',
  'approval-notices': 'Notice of an approval',
  'response-validation': 'Check of an answer',
  'knowledge-ingestion': 'Reading a source',
  'knowledge-pages': 'Reading a web page',
  'knowledge-reindex': 'Indexing knowledge again',
  turns: 'Turns without a node',
  'node-commands': 'Commands between nodes',
};

/** What people call the work of a queue. */
export function jobName(queue: string): string {
  return names[queue] ?? queue.replaceAll('-', ' ');
}
