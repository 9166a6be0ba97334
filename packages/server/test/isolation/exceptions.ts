/** What the walk through all operations leaves out, and why. An entry that is no longer needed fails too. */

/** Tables that have no workspace. */
export const tablesWithoutWorkspace: Record<string, string> = {
  job_holders: 'ids of jobs and nodes',
  knowledge_files: 'belongs to its source; the bytes are only read when it is processed',
  machine_messages: 'on its way from node to node',
  message_counts: 'counts by the hash of a name',
  nodes: 'of the installation',
  request_counts: 'counts by the hash of a name',
  schema_migrations: 'of the installation',
  user_credentials: 'of a person, who may be in several workspaces; hashes',
  user_sessions: 'of a person; never shown',
  users: 'people; filled with the members of each workspace',
  workspaces: 'the workspace itself; its name is filled',
};

/** Columns that cannot hold any text. Those with a fixed set of values in the database are left out automatically. */
export const columnsWithoutMarks: Record<string, string> = {
  'account_keys.abilities': 'a fixed set of values',
  'approvals.resolved_by': 'an id',
  'attachments.external_user_id': 'the id of a person whom both workspaces have',
  'attachments.media_type': 'a fixed set of values',
  'attachments.file_key': 'ids; where it is set, the bytes are elsewhere',
  'audit_entries.actor_type': 'a fixed set of values',
  'audit_entries.action': 'a fixed set of values',
  'audit_entries.object_type': 'a fixed set of values',
  'audit_entries.object_id': 'an id',
  'bots.schedule': 'a cron expression',
  'call_recordings.marks': 'ids and numbers',
  'call_recordings.file_key': 'ids; where it is set, the bytes are elsewhere',
  'conversations.channel': 'a fixed set of values',
  'end_user_details.external_user_id': 'the id of a person whom both workspaces have',
  'events.type': 'a fixed set of values',
  'file_deletions.key': 'ids',
  'knowledge.file_key': 'ids; where it is set, the bytes are elsewhere',
  'knowledge_embeddings.model': 'the name of a model of the installation',
  'knowledge_statistics.embedding_model': 'the name of a model of the installation',
  'legal_holds.actor_type': 'a fixed set of values',
  'messages.tool_call_id': 'an id',
  'messages.rating': 'a fixed set of values',
  'retention_settings.round': 'numbers and times',
  'retention_settings.last_round': 'numbers and times',
  'tool_assignments.tool_type': 'a fixed set of values',
  'tools.tool_type': 'a fixed set of values',
  'trace_steps.type': 'a fixed set of values',
  'trace_steps.usage': 'numbers',
  'voice_calls.end_reason': 'a fixed set of values',
  'voice_calls.used': 'numbers',
  'voice_number_assignments.digits': 'a number, which is looked for like a mark',
  'voice_number_assignments.phone_number': 'a number, which is looked for like a mark',
  'voice_numbers.phone_number': 'a number, which is looked for like a mark',
  'voice_transfers.used': 'numbers',
  'widget_customizations.theme_color': 'a color',
};

/** Columns whose texts are never sent, not even to their own workspace. */
export const columnsNeverServed: Record<string, string> = {
  'approvals.basis': 'for the call that is approved',
  'approvals.tool_grantable': 'for the grant that an answer may give',
  'attachments.text': 'for the model; readers have the file',
  'conversations.code_session': 'for the tools of later turns',
  'idempotency_records.key': 'chosen by the sender',
  'knowledge.requested_url': 'for refreshing the source; the address that answered is shown',
  'machine_calls.name': 'for repeating a call after a crash',
  'machines.hint': 'kept for the operator',
  'post_call_hooks.confirmed_configuration': 'compared with what the tool is now',
  'quality_records.passages': 'for the validation, and removed with it',
  'runs.output_config': 'for the model',
  'tool_calls.arguments': 'the message has them; what ran is shown',
  'tool_calls.fault': 'for the model',
  'tool_grants.offer': 'compared with what the function takes now',
  'turns.options': 'for the turn itself',
  'voice_call_hooks.params_template': 'for running the hook',
  'voice_call_hooks.result': 'for the log of the call',
  'voice_calls.network_id': 'of the telephone network',
  'voice_calls.greeting': 'spoken on the line',
  'voice_calls.tts_voice': 'spoken with it',
  'voice_calls.network_branch': 'of the telephone network',
  'voice_calls.end_requested_reason': 'of the previous release',
  'voice_calls.end_requested_detail': 'of the previous release',
  'voice_calls.dialog': 'of the telephone network',
  'voice_calls.playing': 'part of a message, until the call is over',
  'voice_transfers.transport': 'for charging the call that continues',
  'voice_transfers.direction': 'for charging the call that continues',
  'voice_transfers.network_id': 'of the telephone network',
  'voice_transfers.first_number': 'for charging the call that continues',
  'voice_transfers.to_number': 'for charging the call that continues',
};

/** Operations whose figures change by themselves. */
export const unsteady: Record<string, string> = {
  'GET /api/console/system': 'the size of the database and the load of the nodes, of the installation',
  'GET /api/console/system/figures': 'the load of the installation, for the owners of its first workspace',
  'GET /api/v1/voice/catalog/sample': 'sound, or an error if the voice of a busy machine takes too long',
};

/** Operations that write and are not walked. */
export const writesLeftOut: Record<string, string> = {
  'POST /api/console/sign-in': 'needs a password, and reads nothing of a workspace',
  'POST /api/console/sign-out': 'would end the session of the walk',
  'POST /api/console/setup': 'needs the link of the installation',
  'POST /api/console/reset': 'needs the link of a person',
  'POST /api/console/invitation': 'needs the link of an invitation, which is a credential',
  'POST /api/console/invitation/accept': 'needs the link of an invitation, which is a credential',
  'POST /a/{token}': 'needs the link of an approval, which is a credential; the page is read',
};

/** WebSockets that the first workspace does not keep open. */
export const socketsLeftOut: Record<string, string> = {
  'GET /api/widget/voice/connect': 'carries the sound of one call; that its token opens no other is tested',
};
