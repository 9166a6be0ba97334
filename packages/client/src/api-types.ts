// Generated from /openapi.json by `npm run generate -w @svc/client`.

export type Error = {
  success: false;
  code: "VALIDATION_FAILED" | "CALL_FAILED" | "CONTEXT_TOO_LONG" | "UNAUTHORIZED" | "PLAN_LIMIT_REACHED" | "INSUFFICIENT_BALANCE" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "RUN_IN_PROGRESS" | "TURN_IN_PROGRESS" | "BRANCH_REFUSED" | "LEGAL_HOLD" | "ERASURE_IN_PROGRESS" | "BOT_INACTIVE" | "BOT_CHANGED" | "LAST_OWNER" | "ALREADY_RESOLVED" | "MACHINE_OFFLINE" | "WORKDIR_UNAVAILABLE" | "HOOK_EXISTS" | "NUMBER_EXISTS" | "VERSION_UNUSABLE" | "EVALUATION_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "IDEMPOTENCY_IN_PROGRESS" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "METADATA_INVALID" | "NOT_OUTBOUND_CAPABLE" | "UPGRADE_REQUIRED" | "RATE_LIMITED" | "HEADERS_TOO_LARGE" | "MAX_ITERATIONS_REACHED" | "INTERNAL" | "UPSTREAM_FAILED" | "MODEL_UNAVAILABLE" | "MODEL_RATE_LIMITED" | "MODEL_REJECTED" | "GOAL_CHECK_FAILED" | "NO_MODEL_CONFIGURED" | "VOICE_DISABLED" | "NOT_READY" | "RUN_TIMED_OUT";
  /** One plain sentence. */
  message: string;
  /** Where it helps; for a validation error one { path, message } per field. */
  details?: (Record<string, unknown>)[];
  request_id: string;
};

export type Bot = {
  id: string;
  tenant_id: string;
  name: string;
  description: string;
  system_prompt: string;
  prompt_builder: string | null;
  /** JSON encoded as a string; a quality flag that is absent is off. */
  settings: string;
  status: "active" | "inactive";
  /** `chatbot` answers turn by turn, `agent` pursues a goal on its own. */
  bot_type: "chatbot" | "agent";
  schedule: string | null;
  next_run_at: string | null;
  last_run_at: string | null;
  agent_goal: string | null;
  output_config: Record<string, unknown> | null;
  max_iterations: number;
  timeout_seconds: number | null;
  /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
  metadata: Record<string, string>;
  created_at: string;
  updated_at: string;
};

export type BotVersion = {
  /** Counted per bot, from 1. */
  number: number;
  created_at: string;
  created_by: string | null;
  /** The fields that differ from the previous version; `tools` means the assigned tools. */
  changes: (string)[];
  restored_from: number | null;
};

export type BotVersionDetail = {
  /** Counted per bot, from 1. */
  number: number;
  created_at: string;
  created_by: string | null;
  /** The fields that differ from the previous version; `tools` means the assigned tools. */
  changes: (string)[];
  restored_from: number | null;
  configuration: {
    name: string;
    description: string;
    system_prompt: string;
    prompt_builder: Record<string, unknown> | null;
    /** Model, temperature, voice, quality flags and so on, as an object. */
    settings: Record<string, unknown>;
    /** `chatbot` answers turn by turn, `agent` pursues a goal on its own. */
    bot_type: "chatbot" | "agent";
    schedule: string | null;
    agent_goal: string | null;
    output_config: Record<string, unknown> | null;
    max_iterations: number;
    timeout_seconds: number | null;
    /** Its tools, as `POST /api/v1/tools/assign` takes them. */
    tools: ({
      tool_type: string;
      tool_configuration_id: string | null;
      tool_instructions: string;
      speak_during_execution: boolean;
      speak_after_execution: boolean;
      tool_error_handling_mode: "passthrough" | "hide";
    })[];
  };
};

export type PostCallHook = {
  id: string;
  bot_id: string;
  tool_configuration_id: string;
  tool_type: string;
  tool_name: string;
  run_order: number;
  enabled: boolean;
  suspended: string | null;
  /** Arguments for the tool. In strings, at any depth, `{{transcript}}`, `{{summary}}`, `{{conversation_id}}` and fields of the call such as `{{call.from_number}}` are filled in; a string that is only a placeholder keeps the type of its value, and `{{call.*}}` is the whole call. For a tool with several functions, `$function` names one. */
  params_template: Record<string, unknown>;
  created_at: string;
  updated_at: string;
};

export type VoiceNumber = {
  id: string;
  phone_number: string;
  bot_id: string;
  bot_name: string;
  tenant_id: string;
  greeting: string | null;
  tts_voice: string | null;
  /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
  metadata: Record<string, string>;
  /** The bot calls from this number. */
  is_outbound_primary: boolean;
  /** People can be called from this number. */
  outbound_capable: boolean;
  created_at: string;
  updated_at: string;
};

export type Message = {
  id: string;
  role: "user" | "assistant" | "tool" | "operator";
  content: string;
  tool_calls: ({
    id: string;
    name: string;
    arguments: Record<string, unknown>;
    executed_arguments: Record<string, unknown> | null;
  })[];
  tool_call_id: string | null;
  citations: ({
    knowledge_id: string;
    title: string;
    source_url: string | null;
    quote: string;
    score: number;
  })[];
  interrupted: boolean;
  author_name: string | null;
  /** The files that the user sent with it. Left out if there are none. */
  attachments?: (Attachment)[];
  rating: "up" | "down" | null;
  /** Why the user rated it down; absent if they did not say. */
  rating_comment?: string;
  created_at: string;
};

/** An image (PNG, JPEG, GIF, WebP) or a PDF. Models that see images are shown them; of documents, every model gets the text. */
export type Attachment = {
  id: string;
  /** As its sender has named the file. */
  name: string;
  media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "application/pdf";
  /** In bytes. */
  size: number;
};

export type Conversation = {
  id: string;
  tenant_id: string;
  bot_id: string;
  /** `evaluation`: conversations of a bot that is tested, listed only when asked for by this channel. */
  channel: "chat" | "widget" | "agent" | "voice" | "evaluation" | "test";
  external_user_id: string | null;
  title: string;
  /** `idle`, `running` or `paused` for a chat; the status of the latest run for an agent's conversation, and of the call for a call's. */
  status: "idle" | "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached" | "queued" | "ringing" | "in_progress" | "no_answer" | "busy" | "ended_by_limit";
  /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
  metadata: Record<string, string>;
  needs_human: {
    /** Since when the bot is silent. */
    at: string;
    /** The latest one, of the bot or of the person who took over. */
    reason: string;
  } | null;
  assignee: string | null;
  state: "open" | "snoozed" | "resolved";
  snoozed_until: string | null;
  labels: (string)[];
  /** The members who were mentioned in a note and have not opened it since. */
  unread_mentions?: (string)[];
  message_count: number;
  created_at: string;
  updated_at: string;
  last_message_at: string | null;
  run?: {
    /** The `turn_id` of its events and trace steps. */
    id: string;
    status: "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached";
    trigger: "api" | "schedule" | "console";
    /** Replies of the model so far. */
    iterations: number;
    started_at: string;
    ended_at: string | null;
    deadline_at: string;
    error: {
      code: string;
      message: string;
    } | null;
    webhook?: {
      status: "pending" | "delivered" | "failed";
      attempts: number;
      last_error: string | null;
    };
  };
  /** A call by telephone or from a browser. */
  call?: {
    /** The same as the id of its conversation. */
    call_id: string;
    /** `web`: from the microphone of a browser. */
    direction: "inbound" | "outbound" | "web";
    from_number: string | null;
    to_number: string | null;
    status: "queued" | "ringing" | "in_progress" | "completed" | "no_answer" | "busy" | "failed" | "ended_by_limit";
    answered_at: string | null;
    ended_at: string | null;
    /** Since it was answered; 0 if it was not. */
    duration_seconds: number;
    end_reason: "caller_hung_up" | "bot_hung_up" | "stopped" | "transferred" | "silence" | "no_answer" | "voicemail" | "busy" | "declined" | "max_duration" | "insufficient_balance" | "visitor_limit" | "not_placed" | "speech_failed" | "bot_failed" | "line_failed" | "node_lost" | "service_stopped" | null;
    end_detail: string | null;
    cost_usd: string | null;
    /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
    unpriced_models: (string)[];
    recording_ms: number | null;
    summary: string | null;
  };
};

export type ConversationDetail = {
  id: string;
  tenant_id: string;
  bot_id: string;
  /** `evaluation`: conversations of a bot that is tested, listed only when asked for by this channel. */
  channel: "chat" | "widget" | "agent" | "voice" | "evaluation" | "test";
  external_user_id: string | null;
  title: string;
  /** `idle`, `running` or `paused` for a chat; the status of the latest run for an agent's conversation, and of the call for a call's. */
  status: "idle" | "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached" | "queued" | "ringing" | "in_progress" | "no_answer" | "busy" | "ended_by_limit";
  /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
  metadata: Record<string, string>;
  needs_human: {
    /** Since when the bot is silent. */
    at: string;
    /** The latest one, of the bot or of the person who took over. */
    reason: string;
  } | null;
  assignee: string | null;
  state: "open" | "snoozed" | "resolved";
  snoozed_until: string | null;
  labels: (string)[];
  /** The members who were mentioned in a note and have not opened it since. */
  unread_mentions?: (string)[];
  message_count: number;
  created_at: string;
  updated_at: string;
  last_message_at: string | null;
  run?: {
    /** The `turn_id` of its events and trace steps. */
    id: string;
    status: "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached";
    trigger: "api" | "schedule" | "console";
    /** Replies of the model so far. */
    iterations: number;
    started_at: string;
    ended_at: string | null;
    deadline_at: string;
    error: {
      code: string;
      message: string;
    } | null;
    webhook?: {
      status: "pending" | "delivered" | "failed";
      attempts: number;
      last_error: string | null;
    };
  };
  call?: {
    /** The same as the id of its conversation. */
    call_id: string;
    /** `web`: from the microphone of a browser. */
    direction: "inbound" | "outbound" | "web";
    from_number: string | null;
    to_number: string | null;
    status: "queued" | "ringing" | "in_progress" | "completed" | "no_answer" | "busy" | "failed" | "ended_by_limit";
    answered_at: string | null;
    ended_at: string | null;
    /** Since it was answered; 0 if it was not. */
    duration_seconds: number;
    end_reason: "caller_hung_up" | "bot_hung_up" | "stopped" | "transferred" | "silence" | "no_answer" | "voicemail" | "busy" | "declined" | "max_duration" | "insufficient_balance" | "visitor_limit" | "not_placed" | "speech_failed" | "bot_failed" | "line_failed" | "node_lost" | "service_stopped" | null;
    end_detail: string | null;
    cost_usd: string | null;
    /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
    unpriced_models: (string)[];
    recording_ms: number | null;
    summary: string | null;
    /** Where the lines of the transcript begin in the recording. */
    recording_marks: ({
      /** Where it begins in the recording. */
      at_ms: number;
      turn_id: string | null;
      message_id: string | null;
    })[];
    /** How long the answers took, oldest first. */
    turns: ({
      turn_id: string;
      text_ms: number | null;
      end_of_turn_ms: number | null;
      model_ms: number | null;
      speech_ms: number | null;
      /** The caller interrupted the reply. */
      interrupted: boolean;
    })[];
    /** What ran after the call, in order. */
    hooks: ({
      hook_id: string;
      tool_name: string;
      tool_type: string;
      /** `unknown`: it may or may not have been carried out. The service was cut off while it ran, or it did not end in time. */
      status: "pending" | "started" | "ok" | "error" | "unknown";
      error: string | null;
      started_at: string | null;
      ended_at: string | null;
    })[];
  };
  user_name: string | null;
  messages: (Message)[];
  notes: (ConversationNote)[];
  /** For agents: the result of the latest run, a text or the requested JSON; null without one. */
  final_output?: unknown;
};

export type ConversationNote = {
  id: string;
  /** `written`: a person wrote it. Otherwise what was done with the conversation. */
  kind: "written" | "handed_off" | "taken_over" | "handed_back" | "assigned" | "snoozed" | "resolved" | "reopened";
  author_id: string | null;
  author_name: string | null;
  text: string | null;
  /** The members whom it mentions. */
  mentions?: (string)[];
  created_at: string;
};

export type ListedConversation = {
  id: string;
  tenant_id: string;
  bot_id: string;
  /** `evaluation`: conversations of a bot that is tested, listed only when asked for by this channel. */
  channel: "chat" | "widget" | "agent" | "voice" | "evaluation" | "test";
  external_user_id: string | null;
  title: string;
  /** `idle`, `running` or `paused` for a chat; the status of the latest run for an agent's conversation, and of the call for a call's. */
  status: "idle" | "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached" | "queued" | "ringing" | "in_progress" | "no_answer" | "busy" | "ended_by_limit";
  /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
  metadata: Record<string, string>;
  needs_human: {
    /** Since when the bot is silent. */
    at: string;
    /** The latest one, of the bot or of the person who took over. */
    reason: string;
  } | null;
  assignee: string | null;
  state: "open" | "snoozed" | "resolved";
  snoozed_until: string | null;
  labels: (string)[];
  /** The members who were mentioned in a note and have not opened it since. */
  unread_mentions?: (string)[];
  message_count: number;
  created_at: string;
  updated_at: string;
  last_message_at: string | null;
  run?: {
    /** The `turn_id` of its events and trace steps. */
    id: string;
    status: "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached";
    trigger: "api" | "schedule" | "console";
    /** Replies of the model so far. */
    iterations: number;
    started_at: string;
    ended_at: string | null;
    deadline_at: string;
    error: {
      code: string;
      message: string;
    } | null;
    webhook?: {
      status: "pending" | "delivered" | "failed";
      attempts: number;
      last_error: string | null;
    };
  };
  /** A call by telephone or from a browser. */
  call?: {
    /** The same as the id of its conversation. */
    call_id: string;
    /** `web`: from the microphone of a browser. */
    direction: "inbound" | "outbound" | "web";
    from_number: string | null;
    to_number: string | null;
    status: "queued" | "ringing" | "in_progress" | "completed" | "no_answer" | "busy" | "failed" | "ended_by_limit";
    answered_at: string | null;
    ended_at: string | null;
    /** Since it was answered; 0 if it was not. */
    duration_seconds: number;
    end_reason: "caller_hung_up" | "bot_hung_up" | "stopped" | "transferred" | "silence" | "no_answer" | "voicemail" | "busy" | "declined" | "max_duration" | "insufficient_balance" | "visitor_limit" | "not_placed" | "speech_failed" | "bot_failed" | "line_failed" | "node_lost" | "service_stopped" | null;
    end_detail: string | null;
    cost_usd: string | null;
    /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
    unpriced_models: (string)[];
    recording_ms: number | null;
    summary: string | null;
  };
  bot_name: string;
  assignee_name: string | null;
  user_name: string | null;
  latest_turn_status: "running" | "paused" | "completed" | "interrupted" | "failed" | null;
  preview: string | null;
  preview_role: "user" | "assistant" | "operator" | null;
  preview_author?: string | null;
  latest_act?: "user" | "operator" | "handed_off" | "taken_over" | null;
  /** With `q`: the text around the first place where it was found. */
  match?: string;
};

export type Overview = {
  /** How much waits for a person. */
  waiting: {
    approvals: number;
    /** Conversations whose user waits for a person; 500 stands for more. */
    handoffs: number;
  };
  /** The longest-waiting first, at most 20. */
  handoffs: (ListedConversation)[];
  /** What is assigned to the member, open and not answered by a person, and what mentions them unseen; the latest first, at most 20. */
  for_you?: (ListedConversation)[];
  /** At most 20. */
  running: ({
    kind: "turn" | "run" | "evaluation" | "knowledge";
    id: string;
    title: string;
    bot_id: string | null;
    bot_name: string | null;
    conversation_id: string | null;
    started_at: string;
    done: number | null;
    of: number | null;
  })[];
  running_count: number;
  /** Of the last 24 hours, newest first, at most 20. */
  failed: ({
    kind: "turn" | "run" | "knowledge" | "webhook" | "job";
    id: string;
    title: string;
    bot_id: string | null;
    bot_name: string | null;
    conversation_id: string | null;
    at: string;
    reason: string;
  })[];
  failed_count: number;
  quiet_since: string | null;
  today: {
    conversations: number;
    cost_usd: string | null;
    /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
    unpriced_models: (string)[];
  };
  balance: {
    credit_usd: string;
    left_usd: string;
    /** Less than a tenth is left. */
    is_low: boolean;
  } | null;
  setup: {
    /** Bots can be answered by a real model, not only the built-in one. */
    model: boolean;
    bot: boolean;
    knowledge: boolean;
    widget: boolean;
    /** Somebody else is a member. */
    member: boolean;
  };
};

export type FoundObject = {
  type: "conversation" | "bot" | "approval" | "knowledge" | "tool" | "machine" | "widget" | "scenario" | "evaluation";
  id: string;
  title: string;
  /** Of a message, a turn or an approval. */
  conversation_id?: string;
  message_id?: string;
  turn_id?: string;
  bot_id?: string;
};

export type Trace = {
  conversation_id: string;
  steps: ({
    id: string;
    turn_id: string;
    index: number;
    type: "model" | "tool" | "retrieval" | "approval" | "confidence" | "validation" | "goal_completion_check";
    name: string;
    status: "ok" | "error";
    started_at: string;
    duration_ms: number;
    /** Null for `confidence` and `validation`. */
    input: unknown;
    /** Null for `confidence` and `validation`, except that keys with `workspace:read` get `{ verdict, unsupported_claims }` of a `validation`: `supported` or `unsupported`, and a number. For a reply that was not sent, it says only that. */
    output: unknown;
    usage: {
      input_tokens: number;
      cached_input_tokens: number;
      output_tokens: number;
    } | null;
    error: string | null;
  })[];
};

export type Truncated = {
  message: string;
  removed_messages: number;
  cancelled_approvals: number;
  /** Effects outside that cannot be undone, or that were not. */
  executed_tool_calls: ({
    id: string;
    name: string;
  })[];
  /** With `revert_files`: each changed file, the latest change first. */
  reverted_files?: ({
    path: string;
    machine_id: string;
    /** `restored`: it has its earlier content again. `deleted`: it did not exist before. `changed_since`: it was changed after that, and left as it is. */
    status: "restored" | "deleted" | "changed_since" | "failed";
    /** Why it was left as it is. */
    reason?: string;
  })[];
};

export type Event = TurnStartedEvent | TurnPausedEvent | TurnResumedEvent | TurnCompletedEvent | TurnInterruptedEvent | TurnFailedEvent | MessageCompletedEvent | MessageOperatorEvent | MessageRatedEvent | ToolStartedEvent | ToolCompletedEvent | ApprovalRequestedEvent | ApprovalResolvedEvent | ConversationNeedsHumanEvent | ConversationUpdatedEvent | ConversationBranchedEvent | ConversationTruncatedEvent;

/** A message was stored, and its turn begins. */
export type TurnStartedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "turn.started";
  /** A message was stored, and its turn begins. */
  data: {
    turn_id: string;
    conversation_id: string;
    bot_id: string;
    user_message: Message;
  };
};

/** The turn waits for these approvals. */
export type TurnPausedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "turn.paused";
  /** The turn waits for these approvals. */
  data: {
    turn_id: string;
    approval_ids: (string)[];
  };
};

/** Its approvals are answered, and the turn continues. */
export type TurnResumedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "turn.resumed";
  /** Its approvals are answered, and the turn continues. */
  data: {
    turn_id: string;
  };
};

/** The turn is over; `message_id` is its last reply, or null. */
export type TurnCompletedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "turn.completed";
  /** The turn is over; `message_id` is its last reply, or null. */
  data: {
    turn_id: string;
    message_id: string | null;
    usage: {
      input_tokens: number;
      cached_input_tokens: number;
      output_tokens: number;
    };
    cost_usd: string | null;
    /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
    unpriced_models?: (string)[];
    /** The conversation waits for a person, so the bot did not answer: `message_id` is null. */
    handed_off: boolean;
  };
};

/** The turn was stopped. The reply so far is kept. */
export type TurnInterruptedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "turn.interrupted";
  /** The turn was stopped. The reply so far is kept. */
  data: {
    turn_id: string;
    by: string;
  };
};

/** The turn could not be finished. The reply so far is kept. */
export type TurnFailedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "turn.failed";
  /** The turn could not be finished. The reply so far is kept. */
  data: {
    turn_id: string;
    error: EventError;
  };
};

export type EventError = {
  success: false;
  code: "VALIDATION_FAILED" | "CALL_FAILED" | "CONTEXT_TOO_LONG" | "UNAUTHORIZED" | "PLAN_LIMIT_REACHED" | "INSUFFICIENT_BALANCE" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "RUN_IN_PROGRESS" | "TURN_IN_PROGRESS" | "BRANCH_REFUSED" | "LEGAL_HOLD" | "ERASURE_IN_PROGRESS" | "BOT_INACTIVE" | "BOT_CHANGED" | "LAST_OWNER" | "ALREADY_RESOLVED" | "MACHINE_OFFLINE" | "WORKDIR_UNAVAILABLE" | "HOOK_EXISTS" | "NUMBER_EXISTS" | "VERSION_UNUSABLE" | "EVALUATION_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "IDEMPOTENCY_IN_PROGRESS" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "METADATA_INVALID" | "NOT_OUTBOUND_CAPABLE" | "UPGRADE_REQUIRED" | "RATE_LIMITED" | "HEADERS_TOO_LARGE" | "MAX_ITERATIONS_REACHED" | "INTERNAL" | "UPSTREAM_FAILED" | "MODEL_UNAVAILABLE" | "MODEL_RATE_LIMITED" | "MODEL_REJECTED" | "GOAL_CHECK_FAILED" | "NO_MODEL_CONFIGURED" | "VOICE_DISABLED" | "NOT_READY" | "RUN_TIMED_OUT";
  /** One plain sentence. */
  message: string;
  /** Where it helps; for a validation error one { path, message } per field. */
  details?: (Record<string, unknown>)[];
  request_id: string;
  retryable: boolean;
};

/** A whole message of the bot. It replaces the preview. */
export type MessageCompletedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "message.completed";
  /** A whole message of the bot. It replaces the preview. */
  data: {
    message: Message;
  };
};

/** An operator wrote a message. */
export type MessageOperatorEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "message.operator";
  /** An operator wrote a message. */
  data: {
    message: Message;
  };
};

/** The user rated an answer, or took the rating back. */
export type MessageRatedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "message.rated";
  /** The user rated an answer, or took the rating back. */
  data: {
    message_id: string;
    rating: "up" | "down" | null;
  };
};

/** A tool is called. */
export type ToolStartedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "tool.started";
  /** A tool is called. */
  data: {
    tool_call_id: string;
    tool_name: string;
    tool_type: string;
    arguments: Record<string, unknown>;
  };
};

/** A call of a tool is over. After `unknown` it is sent once more if the machine comes back with the outcome. */
export type ToolCompletedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "tool.completed";
  /** A call of a tool is over. After `unknown` it is sent once more if the machine comes back with the outcome. */
  data: {
    tool_call_id: string;
    /** `unknown`: a crash cut the call off, or its machine went offline, and it may or may not have been carried out. */
    status: "ok" | "error" | "denied" | "unknown";
    result: unknown;
    duration_ms: number;
  };
};

/** A call waits for a person to approve it. */
export type ApprovalRequestedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "approval.requested";
  /** A call waits for a person to approve it. */
  data: {
    approval: Approval;
  };
};

export type Approval = {
  id: string;
  conversation_id: string;
  turn_id: string;
  bot_id: string;
  tool_call_id: string;
  tool_type: string;
  tool_name: string;
  title?: string | null;
  title_template?: string | null;
  arguments: Record<string, unknown>;
  arguments_schema: Record<string, unknown>;
  status: "pending" | "approved" | "approved_edited" | "denied" | "cancelled" | "expired";
  reason: string | null;
  context: {
    kind: "diff";
    path: string;
    diff: string;
  } | {
    kind: "command";
    command: string;
    cwd: string;
    machine: string;
    /** True if this command may use the network, which others may not. */
    network?: boolean;
  } | {
    kind: "call";
    summary: string;
  };
  created_at: string;
  expires_at: string;
  resolved_at: string | null;
  resolved_by: string | null;
  /** True if a tool that is running asks for something: answer with `approve_edited` and what `arguments_schema` wants. */
  is_question?: boolean;
  grant_offer?: {
    /** `edits`: changes of files in the directory. `command`: exactly this command, in exactly this directory. */
    kind: "edits" | "command";
    /** A real path on the machine, without links. */
    directory: string;
    command: string | null;
  } | null;
  /** True if `"grant": "bot"` of an answer allows all calls of this tool by this bot. */
  tool_grant_offered?: boolean;
  grant_id?: string | null;
};

/** An approval was answered, cancelled, or has expired. */
export type ApprovalResolvedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "approval.resolved";
  /** An approval was answered, cancelled, or has expired. */
  data: {
    approval: Approval;
  };
};

/** The bot requests a person, or one takes over: it stops answering; null once it may answer again. */
export type ConversationNeedsHumanEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "conversation.needs_human";
  /** The bot requests a person, or one takes over: it stops answering; null once it may answer again. */
  data: {
    needs_human: {
      /** Since when the bot is silent. */
      at: string;
      /** The latest one, of the bot or of the person who took over. */
      reason: string;
    } | null;
    /** A person took over without having been asked. */
    taken_over?: boolean;
  };
};

/** People changed who sees to it, its state or labels, or somebody left a note. */
export type ConversationUpdatedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "conversation.updated";
  /** People changed who sees to it, its state or labels, or somebody left a note. */
  data: {
    assignee: string | null;
    state: "open" | "snoozed" | "resolved";
    snoozed_until: string | null;
    labels: (string)[];
    /** The members who were mentioned in a note and have not opened it since. */
    unread_mentions?: (string)[];
    /** Those that are new. */
    notes: (ConversationNote)[];
  };
};

/** Everything after this message (null: all messages) was put aside for a branch. `turn_id` names the turn that begins it; null if it was there already: then read the conversation. */
export type ConversationBranchedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "conversation.branched";
  /** Everything after this message (null: all messages) was put aside for a branch. `turn_id` names the turn that begins it; null if it was there already: then read the conversation. */
  data: {
    branch_id: string;
    after_message_id: string | null;
    turn_id: string | null;
  };
};

/** Everything after this message was removed. */
export type ConversationTruncatedEvent = {
  /** Counts up from 1 in each conversation, without gaps; what `Last-Event-ID` takes. */
  id: number;
  event: "conversation.truncated";
  /** Everything after this message was removed. */
  data: {
    after_message_id: string;
  };
};

/** One server-sent event; `data` is sent as JSON. Those with an `id` are stored and can be read again, the others cannot. */
export type StreamEvent = TurnStartedEvent | TurnPausedEvent | TurnResumedEvent | TurnCompletedEvent | TurnInterruptedEvent | TurnFailedEvent | MessageCompletedEvent | MessageOperatorEvent | MessageRatedEvent | ToolStartedEvent | ToolCompletedEvent | ApprovalRequestedEvent | ApprovalResolvedEvent | ConversationNeedsHumanEvent | ConversationUpdatedEvent | ConversationBranchedEvent | ConversationTruncatedEvent | MessageDeltaEvent | MessageTypingEvent | ToolProgressEvent | StreamSnapshotEvent | StreamGapEvent;

/** A piece of the reply that is being written. */
export type MessageDeltaEvent = {
  event: "message.delta";
  /** A piece of the reply that is being written. */
  data: {
    message_id: string;
    /** Where `text` begins in the message, in UTF-16 units. */
    offset: number;
    text: string;
  };
};

/** Somebody is writing in a conversation that waits for a person. Sent again every few seconds meanwhile: six seconds after the last one, or with their message, it is over. */
export type MessageTypingEvent = {
  event: "message.typing";
  /** Somebody is writing in a conversation that waits for a person. Sent again every few seconds meanwhile: six seconds after the last one, or with their message, it is over. */
  data: {
    /** Whose message it is going to be. */
    role: "user" | "operator";
    author_name: string | null;
  };
};

/** A running tool reports how far it is. */
export type ToolProgressEvent = {
  event: "tool.progress";
  /** A running tool reports how far it is. */
  data: {
    tool_call_id: string;
    text: string;
  };
};

/** The unfinished reply so far. It replaces the preview; an empty text means that the preview was discarded. */
export type StreamSnapshotEvent = {
  event: "stream.snapshot";
  /** The unfinished reply so far. It replaces the preview; an empty text means that the preview was discarded. */
  data: {
    message_id: string;
    text: string;
  };
};

/** The events with these ids were removed by a truncation: read the conversation. */
export type StreamGapEvent = {
  event: "stream.gap";
  /** The events with these ids were removed by a truncation: read the conversation. */
  data: {
    from: number;
    to: number;
    conversation_url: string;
  };
};

export type EndUserToken = {
  token: string;
  expires_at: string;
};

export type EndUserDetails = {
  external_user_id: string;
  name: string | null;
  email: string | null;
  page_url: string | null;
  page_title: string | null;
  browser: string | null;
  seen_at: string | null;
};

export type EndUserConversation = {
  id: string;
  bot_id: string;
  title: string;
  /** `paused`: somebody of the team is checking something before the answer continues. */
  status: "idle" | "running" | "paused";
  /** A person has been asked or has taken over, and the bot does not answer. */
  needs_human: boolean;
  /** A person took over without having been asked. */
  taken_over: boolean;
  created_at: string;
  last_message_at: string | null;
};

export type EndUserConversationDetail = {
  id: string;
  bot_id: string;
  title: string;
  /** `paused`: somebody of the team is checking something before the answer continues. */
  status: "idle" | "running" | "paused";
  /** A person has been asked or has taken over, and the bot does not answer. */
  needs_human: boolean;
  /** A person took over without having been asked. */
  taken_over: boolean;
  created_at: string;
  last_message_at: string | null;
  /** Follow the conversation from here. */
  last_event_id: number;
  /** A message was answered again or edited. */
  has_branches: boolean;
  /** Oldest first. At most the newest 200, and fewer if they are very long. */
  messages: (EndUserMessage)[];
};

export type EndUserMessage = {
  id: string;
  role: "user" | "assistant" | "operator";
  content: string;
  citations: ({
    title: string;
    source_url: string | null;
    quote: string;
  })[];
  author_name: string | null;
  interrupted: boolean;
  /** The files that the user sent with it. Left out if there are none. */
  attachments?: (Attachment)[];
  rating: "up" | "down" | null;
  created_at: string;
};

export type EndUserEvent = EndUserTurnStartedEvent | EndUserTurnPausedEvent | EndUserTurnResumedEvent | EndUserTurnCompletedEvent | EndUserTurnInterruptedEvent | EndUserTurnFailedEvent | EndUserMessageCompletedEvent | EndUserMessageOperatorEvent | EndUserMessageRatedEvent | EndUserConversationNeedsHumanEvent | EndUserConversationBranchedEvent | EndUserConversationTruncatedEvent;

/** A message was stored, and its turn begins. */
export type EndUserTurnStartedEvent = {
  /** Counts up; what `Last-Event-ID` takes. */
  id: number;
  event: "turn.started";
  /** A message was stored, and its turn begins. */
  data: {
    turn_id: string;
    conversation_id: string;
    bot_id: string;
    user_message: EndUserMessage;
  };
};

/** Somebody of the team is checking something before the answer continues. */
export type EndUserTurnPausedEvent = {
  /** Counts up; what `Last-Event-ID` takes. */
  id: number;
  event: "turn.paused";
  /** Somebody of the team is checking something before the answer continues. */
  data: {
    turn_id: string;
  };
};

/** The answer continues. */
export type EndUserTurnResumedEvent = {
  /** Counts up; what `Last-Event-ID` takes. */
  id: number;
  event: "turn.resumed";
  /** The answer continues. */
  data: {
    turn_id: string;
  };
};

/** The turn is over; `message_id` is its last reply. */
export type EndUserTurnCompletedEvent = {
  /** Counts up; what `Last-Event-ID` takes. */
  id: number;
  event: "turn.completed";
  /** The turn is over; `message_id` is its last reply. */
  data: {
    turn_id: string;
    message_id: string | null;
    /** The bot did not answer: a person will. */
    handed_off: boolean;
  };
};

/** The turn was stopped. */
export type EndUserTurnInterruptedEvent = {
  /** Counts up; what `Last-Event-ID` takes. */
  id: number;
  event: "turn.interrupted";
  /** The turn was stopped. */
  data: {
    turn_id: string;
  };
};

/** The turn could not be finished. */
export type EndUserTurnFailedEvent = {
  /** Counts up; what `Last-Event-ID` takes. */
  id: number;
  event: "turn.failed";
  /** The turn could not be finished. */
  data: {
    turn_id: string;
    error: {
      code: "VALIDATION_FAILED" | "CALL_FAILED" | "CONTEXT_TOO_LONG" | "UNAUTHORIZED" | "PLAN_LIMIT_REACHED" | "INSUFFICIENT_BALANCE" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "RUN_IN_PROGRESS" | "TURN_IN_PROGRESS" | "BRANCH_REFUSED" | "LEGAL_HOLD" | "ERASURE_IN_PROGRESS" | "BOT_INACTIVE" | "BOT_CHANGED" | "LAST_OWNER" | "ALREADY_RESOLVED" | "MACHINE_OFFLINE" | "WORKDIR_UNAVAILABLE" | "HOOK_EXISTS" | "NUMBER_EXISTS" | "VERSION_UNUSABLE" | "EVALUATION_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "IDEMPOTENCY_IN_PROGRESS" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "METADATA_INVALID" | "NOT_OUTBOUND_CAPABLE" | "UPGRADE_REQUIRED" | "RATE_LIMITED" | "HEADERS_TOO_LARGE" | "MAX_ITERATIONS_REACHED" | "INTERNAL" | "UPSTREAM_FAILED" | "MODEL_UNAVAILABLE" | "MODEL_RATE_LIMITED" | "MODEL_REJECTED" | "GOAL_CHECK_FAILED" | "NO_MODEL_CONFIGURED" | "VOICE_DISABLED" | "NOT_READY" | "RUN_TIMED_OUT";
      message: string;
      retryable: boolean;
    };
  };
};

/** A whole message of the bot. It replaces the preview. */
export type EndUserMessageCompletedEvent = {
  /** Counts up; what `Last-Event-ID` takes. */
  id: number;
  event: "message.completed";
  /** A whole message of the bot. It replaces the preview. */
  data: {
    message: EndUserMessage;
  };
};

/** A person of the team wrote a message. */
export type EndUserMessageOperatorEvent = {
  /** Counts up; what `Last-Event-ID` takes. */
  id: number;
  event: "message.operator";
  /** A person of the team wrote a message. */
  data: {
    message: EndUserMessage;
  };
};

/** The user rated an answer, or took the rating back. */
export type EndUserMessageRatedEvent = {
  /** Counts up; what `Last-Event-ID` takes. */
  id: number;
  event: "message.rated";
  /** The user rated an answer, or took the rating back. */
  data: {
    message_id: string;
    rating: "up" | "down" | null;
  };
};

/** Whether a person has been asked, so that the bot does not answer. */
export type EndUserConversationNeedsHumanEvent = {
  /** Counts up; what `Last-Event-ID` takes. */
  id: number;
  event: "conversation.needs_human";
  /** Whether a person has been asked, so that the bot does not answer. */
  data: {
    needs_human: boolean;
    /** A person took over without having been asked. */
    taken_over: boolean;
  };
};

/** Everything after this message (null: all messages) was put aside for a branch. `turn_id` names the turn that begins it; null if it was there already: then read the conversation. */
export type EndUserConversationBranchedEvent = {
  /** Counts up; what `Last-Event-ID` takes. */
  id: number;
  event: "conversation.branched";
  /** Everything after this message (null: all messages) was put aside for a branch. `turn_id` names the turn that begins it; null if it was there already: then read the conversation. */
  data: {
    branch_id: string;
    after_message_id: string | null;
    turn_id: string | null;
  };
};

/** Everything after this message was removed. */
export type EndUserConversationTruncatedEvent = {
  /** Counts up; what `Last-Event-ID` takes. */
  id: number;
  event: "conversation.truncated";
  /** Everything after this message was removed. */
  data: {
    after_message_id: string;
  };
};

/** One server-sent event as end users get it; `data` is sent as JSON. */
export type EndUserStreamEvent = EndUserTurnStartedEvent | EndUserTurnPausedEvent | EndUserTurnResumedEvent | EndUserTurnCompletedEvent | EndUserTurnInterruptedEvent | EndUserTurnFailedEvent | EndUserMessageCompletedEvent | EndUserMessageOperatorEvent | EndUserMessageRatedEvent | EndUserConversationNeedsHumanEvent | EndUserConversationBranchedEvent | EndUserConversationTruncatedEvent | EndUserMessageDeltaEvent | EndUserMessageTypingEvent | EndUserStreamSnapshotEvent | EndUserStreamGapEvent;

/** A piece of the reply that is being written. */
export type EndUserMessageDeltaEvent = {
  event: "message.delta";
  /** A piece of the reply that is being written. */
  data: {
    message_id: string;
    offset: number;
    text: string;
  };
};

/** A person of the team is writing a message. Sent again every few seconds meanwhile: six seconds after the last one, or with the message, it is over. */
export type EndUserMessageTypingEvent = {
  event: "message.typing";
  /** A person of the team is writing a message. Sent again every few seconds meanwhile: six seconds after the last one, or with the message, it is over. */
  data: {
    author_name: string | null;
  };
};

/** The unfinished reply so far. It replaces the preview. */
export type EndUserStreamSnapshotEvent = {
  event: "stream.snapshot";
  /** The unfinished reply so far. It replaces the preview. */
  data: {
    message_id: string;
    text: string;
  };
};

/** The events with these ids were removed by a truncation: read the conversation. */
export type EndUserStreamGapEvent = {
  event: "stream.gap";
  /** The events with these ids were removed by a truncation: read the conversation. */
  data: {
    from: number;
    to: number;
  };
};

export type ChatStats = {
  conversation_id: string;
  turns: number;
  messages: number;
  tool_calls: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  cost_usd: string | null;
  /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
  unpriced_models: (string)[];
  by_model: ({
    model: string;
    input_tokens: number;
    output_tokens: number;
    cost_usd: string | null;
  })[];
};

export type Tool = {
  id: string;
  tenant_id: string;
  tool_type: string;
  name: string;
  /** What models call it, unless it has several functions, such as an MCP server. */
  function_name?: string;
  description: string;
  preset_id: string | null;
  /** Bots that are created from now on get it. Not for tools that work on machines. */
  is_default: boolean;
  is_active: boolean;
  created_by: string | null;
  /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
  metadata: Record<string, string>;
  /** Fits the type's configuration_schema. Secret fields are written here and never returned. */
  configuration: Record<string, unknown>;
  /** Configuration fields that have a stored secret. */
  secrets_set: (string)[];
  /** Whether its calls need approval, with the defaults of its type. */
  asks_first: "never" | "sometimes" | "always";
  created_at: string;
  updated_at: string;
};

export type CatalogEntry = {
  tool_type: string;
  name: string;
  description: string;
  configuration_schema: Record<string, unknown>;
  /** Its calls change nothing. */
  read_only: boolean;
  presets: ({
    id: string;
    name: string;
    configuration: Record<string, unknown>;
  })[];
};

export type ToolAssignment = {
  tool_type: string;
  tool_configuration_id: string | null;
  tool_instructions: string;
  speak_during_execution: boolean;
  speak_after_execution: boolean;
  tool_error_handling_mode: "passthrough" | "hide";
  tool: {
    id: string | null;
    name: string;
    tool_type: string;
    description: string;
  } | null;
};

export type ToolTestResult = {
  success: boolean;
  execution_time_ms: number;
  error?: string;
  result: unknown;
  resolved_request?: {
    method: string;
    url: string;
    headers: Record<string, string>;
    body: string | null;
  };
};

export type ToolDiscoverEvent = DiscoverProgressEvent | DiscoverFailedEvent | ToolDiscoverCompletedEvent;

/** What is being done for the draft. */
export type DiscoverProgressEvent = {
  event: "discover.progress";
  /** What is being done for the draft. */
  data: {
    step: "reading" | "drafting" | "checking" | "repairing";
    detail: string;
  };
};

/** No draft could be made. */
export type DiscoverFailedEvent = {
  event: "discover.failed";
  /** No draft could be made. */
  data: {
    error: EventError;
  };
};

export type ToolDiscoverCompletedEvent = {
  event: "discover.completed";
  data: DiscoveredTools;
};

export type DiscoveredTools = {
  /** Each can be sent to POST /api/v1/tools once the secrets that the notes name are filled in. */
  tools: ({
    tool_type: string;
    name: string;
    description: string;
    /** Matches the type's configuration_schema, except for secrets, which are still to be filled in. */
    configuration: Record<string, unknown>;
  })[];
  /** What to fill in, and what could not be drafted. */
  notes: (string)[];
  /** The operations of an OpenAPI document, if it has more than are drafted at once and the request did not select any. */
  operations?: ({
    method: string;
    path: string;
    operation_id: string | null;
    summary: string;
  })[];
};

export type BotDiscoverEvent = DiscoverProgressEvent | DiscoverFailedEvent | BotDiscoverCompletedEvent;

export type BotDiscoverCompletedEvent = {
  event: "discover.completed";
  data: DiscoveredBot;
};

export type DiscoveredBot = {
  /** A body for POST /api/v1/bots. `system_prompt` is what `prompt_builder` is assembled into: leave it out if you change the builder. */
  draft: Record<string, unknown>;
  /** Bodies for POST /api/v1/tools. The notes name what is still to be filled in. A type that needs no configuration can be assigned by its name alone. */
  suggested_tools: ({
    tool_type: string;
    name: string;
    description: string;
    /** Matches the type's configuration_schema, except for secrets, which are still to be filled in. */
    configuration: Record<string, unknown>;
  })[];
  /** Questions to try the bot with. */
  test_questions: (string)[];
  /** What to fill in, and what could not be drafted. */
  notes: (string)[];
};

export type ApprovalDetail = {
  id: string;
  conversation_id: string;
  turn_id: string;
  bot_id: string;
  tool_call_id: string;
  tool_type: string;
  tool_name: string;
  title?: string | null;
  title_template?: string | null;
  arguments: Record<string, unknown>;
  arguments_schema: Record<string, unknown>;
  status: "pending" | "approved" | "approved_edited" | "denied" | "cancelled" | "expired";
  reason: string | null;
  context: {
    kind: "diff";
    path: string;
    diff: string;
  } | {
    kind: "command";
    command: string;
    cwd: string;
    machine: string;
    /** True if this command may use the network, which others may not. */
    network?: boolean;
  } | {
    kind: "call";
    summary: string;
  };
  created_at: string;
  expires_at: string;
  resolved_at: string | null;
  resolved_by: string | null;
  /** True if a tool that is running asks for something: answer with `approve_edited` and what `arguments_schema` wants. */
  is_question?: boolean;
  grant_offer?: {
    /** `edits`: changes of files in the directory. `command`: exactly this command, in exactly this directory. */
    kind: "edits" | "command";
    /** A real path on the machine, without links. */
    directory: string;
    command: string | null;
  } | null;
  /** True if `"grant": "bot"` of an answer allows all calls of this tool by this bot. */
  tool_grant_offered?: boolean;
  grant_id?: string | null;
  bot_name?: string;
  /** Of its conversation. */
  channel?: string;
  external_user_id?: string | null;
  user_name?: string | null;
  edited_arguments?: Record<string, unknown> | null;
  resolved_by_name?: string | null;
};

export type ApprovalGrant = {
  id: string;
  /** `edits`: changes of files in the directory. `command`: exactly this command, in exactly this directory. */
  kind: "edits" | "command";
  /** A real path on the machine, without links. */
  directory: string;
  command: string | null;
  /** `conversation`: only in this conversation. `machine`: in all conversations of the same end user with the same bot on the same machine. */
  scope: "conversation" | "machine";
  machine_id: string;
  machine_name: string;
  bot_id: string;
  bot_name: string;
  /** Where it was given; it ends with it. */
  conversation_id: string;
  created_at: string;
  /** The member or key that gave it. */
  created_by: string;
  created_by_name: string | null;
};

export type AgentSchedule = {
  schedule: string | null;
  description: string | null;
  time_zone: string | null;
  next_run_at: string | null;
  last_run_at: string | null;
  /** The outcome of its slots, newest first, at most 200. */
  recent: ({
    slot_at: string;
    /** `fired`: a run started. `skipped_busy`: the previous run was still in progress. `skipped_late`: the slot was more than an hour late, or a later one was due as well. `failed`: no run could be started. */
    outcome: "fired" | "skipped_busy" | "skipped_late" | "failed";
    reason: string | null;
    conversation_id: string | null;
    noted_at: string;
  })[];
};

export type SchedulePreview = {
  /** The schedule as a bot would store it, with its time zone. */
  schedule: string;
  /** The schedule in plain English. */
  description: string;
  time_zone: string;
  /** The next five slots. */
  next: (string)[];
};

export type RunEntry = {
  /** `slot`: a slot of a schedule of which no run came. */
  kind: "run" | "slot";
  /** The id of the run; of a slot, a text that is unique in this list. */
  id: string;
  bot_id: string;
  bot_name: string;
  status: "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached" | "skipped";
  trigger: "api" | "schedule" | "console";
  conversation_id: string | null;
  /** When the run started, or the time of the slot. */
  at: string;
  ended_at: string | null;
  deadline_at: string | null;
  iterations: number;
  max_iterations: number;
  payload: string | null;
  reason: string | null;
  cost_usd: string | null;
  /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
  unpriced_models: (string)[];
  webhook: {
    status: "pending" | "delivered" | "failed";
    attempts: number;
    last_error: string | null;
  } | null;
};

export type AgentOverview = {
  bot_id: string;
  name: string;
  status: "active" | "inactive";
  /** An agent without a goal cannot run. */
  has_goal: boolean;
  schedule: string | null;
  description: string | null;
  time_zone: string | null;
  next_run_at: string | null;
  last_run_at: string | null;
  open_run: {
    id: string;
    conversation_id: string;
    status: "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached";
    started_at: string;
    iterations: number;
    max_iterations: number;
  } | null;
  /** Its last slots, newest first, at most 20, each with the status of its run. */
  recent: ({
    slot_at: string;
    /** `fired`: a run started. `skipped_busy`: the previous run was still in progress. `skipped_late`: the slot was more than an hour late, or a later one was due as well. `failed`: no run could be started. */
    outcome: "fired" | "skipped_busy" | "skipped_late" | "failed";
    reason: string | null;
    conversation_id: string | null;
    noted_at: string;
    run_status: "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached" | null;
  })[];
};

export type RunCalendar = {
  month: string;
  time_zone: string;
  /** There is more than a calendar shows: the oldest runs, or what is planned for some agents, is left out. */
  truncated: boolean;
  days: ({
    date: string;
    entries: ({
      bot_id: string;
      bot_name: string;
      counts: {
        completed: number;
        /** Failed, timed out, interrupted or out of iterations. */
        failed: number;
        /** Running or paused. */
        open: number;
        skipped: number;
        planned: number;
      };
      /** The first of them, in order of time; at most 8 for each bot and day. */
      items: ({
        at: string;
        kind: "run" | "slot" | "planned";
        status: "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached" | "skipped" | null;
        conversation_id: string | null;
        reason: string | null;
      })[];
    })[];
  })[];
};

export type Scenario = {
  id: string;
  bot_id: string;
  name: string;
  /** The user's messages, one after another. */
  turns: (string)[];
  /** What must be true of the bot's answers, each in a sentence. Judged by the bot's own model. */
  expected_facts: (string)[];
  /** Functions that the bot has to call. */
  must_call: (string)[];
  /** Functions that the bot must not call. */
  must_not_call: (string)[];
  /** Answers for calls: no tool acts in an evaluation. The first stand-in that matches answers. A call that none matches gets an error that says so, except calls of tools without effects (calculator, current_time). */
  stand_ins: ({
    /** The name by which the model knows the function. */
    function: string;
    /** Answers only calls whose arguments have these values, whatever else they have. Left out: answers every call. */
    arguments?: Record<string, unknown>;
    /** What the model receives: a text, or any JSON. */
    result: unknown;
    /** The result is that of a failed call. */
    is_error?: boolean;
  })[];
  created_at: string;
  updated_at: string;
};

export type ScenarioDraft = {
  bot_id: string;
  scenario: {
    name: string;
    /** The user's messages, one after another. */
    turns: (string)[];
    /** What must be true of the bot's answers, each in a sentence. Judged by the bot's own model. */
    expected_facts: (string)[];
    /** Functions that the bot has to call. */
    must_call: (string)[];
    /** Functions that the bot must not call. */
    must_not_call: (string)[];
    /** Answers for calls: no tool acts in an evaluation. The first stand-in that matches answers. A call that none matches gets an error that says so, except calls of tools without effects (calculator, current_time). */
    stand_ins: ({
      /** The name by which the model knows the function. */
      function: string;
      /** Answers only calls whose arguments have these values, whatever else they have. Left out: answers every call. */
      arguments?: Record<string, unknown>;
      /** What the model receives: a text, or any JSON. */
      result: unknown;
      /** The result is that of a failed call. */
      is_error?: boolean;
    })[];
  };
  /** The bot's last answer to each turn, shortened. */
  answers: (string)[];
  /** What was left out or shortened. */
  notes: (string)[];
};

export type Evaluation = {
  id: string;
  bot_id: string;
  /** The version of the bot's configuration that was evaluated. */
  version: number;
  /** `completed`: every case was run, whatever its outcome. `failed`: it could not continue, `error` says why. */
  status: "running" | "completed" | "failed" | "stopped";
  /** The progress and the outcome. */
  counts: {
    total: number;
    passed: number;
    failed: number;
    error: number;
    skipped: number;
    /** Not decided yet, including the one in progress. */
    pending: number;
  };
  error: {
    code: string;
    message: string;
  } | null;
  usage: {
    input_tokens: number;
    cached_input_tokens: number;
    output_tokens: number;
  };
  cost_usd: string | null;
  /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
  unpriced_models: (string)[];
  created_by: string;
  created_at: string;
  ended_at: string | null;
  /** The status of each of its cases, in the order in which they are run. */
  outcomes: ({
    scenario_id: string;
    /** `error`: the case could not be decided, and counts as not passed. `skipped`: the evaluation ended before the case did. */
    status: "pending" | "running" | "passed" | "failed" | "error" | "skipped";
  })[];
};

export type EvaluationDetail = {
  id: string;
  bot_id: string;
  /** The version of the bot's configuration that was evaluated. */
  version: number;
  /** `completed`: every case was run, whatever its outcome. `failed`: it could not continue, `error` says why. */
  status: "running" | "completed" | "failed" | "stopped";
  /** The progress and the outcome. */
  counts: {
    total: number;
    passed: number;
    failed: number;
    error: number;
    skipped: number;
    /** Not decided yet, including the one in progress. */
    pending: number;
  };
  error: {
    code: string;
    message: string;
  } | null;
  usage: {
    input_tokens: number;
    cached_input_tokens: number;
    output_tokens: number;
  };
  cost_usd: string | null;
  /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
  unpriced_models: (string)[];
  created_by: string;
  created_at: string;
  ended_at: string | null;
  /** Scenarios by what changed since each was last decided. */
  comparison: {
    newly_failing: (string)[];
    newly_passing: (string)[];
    still_failing: (string)[];
    new: (string)[];
    unchanged: (string)[];
  };
  cases: ({
    scenario_id: string;
    name: string;
    /** `error`: the case could not be decided, and counts as not passed. `skipped`: the evaluation ended before the case did. */
    status: "pending" | "running" | "passed" | "failed" | "error" | "skipped";
    reasons: ({
      kind: "fact_missing" | "not_called" | "called" | "error";
      /** Of `fact_missing`: the fact that does not hold. */
      fact?: string;
      /** Of `not_called` and `called`: the function. */
      function?: string;
      /** Of `error`. */
      code?: string;
      /** One sentence; of `fact_missing` the judge's explanation. */
      message: string;
    })[];
    facts: ({
      fact: string;
      holds: boolean;
      explanation: string;
    })[];
    change: "newly_failing" | "newly_passing" | "still_failing" | "new" | "unchanged" | null;
    previous: {
      evaluation_id: string;
      version: number;
      /** `error`: the case could not be decided, and counts as not passed. `skipped`: the evaluation ended before the case did. */
      status: "pending" | "running" | "passed" | "failed" | "error" | "skipped";
    } | null;
    conversation_id: string | null;
    /** Long messages are cut. */
    transcript: (Message)[];
    usage: {
      input_tokens: number;
      cached_input_tokens: number;
      output_tokens: number;
    };
    cost_usd: string | null;
    /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
    unpriced_models: (string)[];
    started_at: string | null;
    ended_at: string | null;
  })[];
};

export type Machine = {
  id: string;
  name: string;
  status: "online" | "offline" | "revoked";
  platform: string | null;
  version: string | null;
  /** The folders that its owner lets agents work in. */
  roots: (string)[];
  sandbox: "bubblewrap" | "none" | null;
  policy: "read-only" | "ask" | "allow-listed" | null;
  confirmation: "terminal" | "service" | null;
  runs_commands: boolean | null;
  owner: {
    /** An account key owns what it paired if no member made the key. */
    type: "member" | "key";
    id: string;
    name: string | null;
  } | null;
  /** The members who may use it besides its owner. */
  allowed_members: (string)[];
  /** The bots that may work on it. */
  allowed_bots: (string)[];
  last_seen_at: string | null;
  created_at: string;
};

export type PairedMachine = {
  id: string;
  name: string;
  /** The machine key. It is stored only as a hash and shown this one time. */
  token: string;
};

export type Knowledge = {
  id: string;
  tenant_id: string;
  bot_id: string | null;
  title: string;
  /** What was given or read from the source, its first 50000 characters. */
  content: string;
  content_truncated: boolean;
  content_type: "text" | "uploaded_file" | "url";
  source_filename: string | null;
  source_url: string | null;
  /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
  metadata: Record<string, string>;
  processing_status: "pending" | "processing" | "completed" | "failed";
  /** From 0 to 1. */
  processing_progress: number;
  error: string | null;
  status: "active" | "inactive";
  created_at: string;
  updated_at: string;
};

export type FoundPassage = {
  knowledge_id: string;
  title: string;
  source_url: string | null;
  quote: string;
  score: number;
  /** How close it is in meaning; 0 if it was not found that way. */
  vector_score: number;
  /** How well its words match; 0 if it was not found that way. */
  keyword_score: number;
};

export type KnowledgeStats = {
  total_knowledge_bases: number;
  by_type: {
    text: number;
    uploaded_file: number;
    url: number;
  };
  by_status: {
    pending: number;
    processing: number;
    completed: number;
    failed: number;
  };
};

export type UploadOutcome = {
  created: ({
    id: string;
    filename: string;
    title: string;
  })[];
  errors: ({
    filename: string;
    reason: string;
  })[];
};

/** `VALIDATION_FAILED`. When there were files and none could be used, `errors` says why for each. */
export type KnowledgeRefusal = {
  success: false;
  code: "VALIDATION_FAILED" | "CALL_FAILED" | "CONTEXT_TOO_LONG" | "UNAUTHORIZED" | "PLAN_LIMIT_REACHED" | "INSUFFICIENT_BALANCE" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "RUN_IN_PROGRESS" | "TURN_IN_PROGRESS" | "BRANCH_REFUSED" | "LEGAL_HOLD" | "ERASURE_IN_PROGRESS" | "BOT_INACTIVE" | "BOT_CHANGED" | "LAST_OWNER" | "ALREADY_RESOLVED" | "MACHINE_OFFLINE" | "WORKDIR_UNAVAILABLE" | "HOOK_EXISTS" | "NUMBER_EXISTS" | "VERSION_UNUSABLE" | "EVALUATION_IN_PROGRESS" | "IDEMPOTENCY_MISMATCH" | "IDEMPOTENCY_IN_PROGRESS" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "METADATA_INVALID" | "NOT_OUTBOUND_CAPABLE" | "UPGRADE_REQUIRED" | "RATE_LIMITED" | "HEADERS_TOO_LARGE" | "MAX_ITERATIONS_REACHED" | "INTERNAL" | "UPSTREAM_FAILED" | "MODEL_UNAVAILABLE" | "MODEL_RATE_LIMITED" | "MODEL_REJECTED" | "GOAL_CHECK_FAILED" | "NO_MODEL_CONFIGURED" | "VOICE_DISABLED" | "NOT_READY" | "RUN_TIMED_OUT";
  /** One plain sentence. */
  message: string;
  /** Where it helps; for a validation error one { path, message } per field. */
  details?: (Record<string, unknown>)[];
  request_id: string;
  created?: ({
    id: string;
    filename: string;
    title: string;
  })[];
  errors?: ({
    filename: string;
    reason: string;
  })[];
};

export type TriggeredRun = {
  success: true;
  data: {
    conversation_id: string;
    status: "accepted";
  };
  message: string;
};

export type UsageReport = {
  balance_usd: string | null;
  /** The average of the last 7 days, as far as prices are known. */
  usd_per_day: string;
  days_left: number | null;
  rows: ({
    /** With `by=day`: such as 2026-01-31, in UTC. */
    day?: string;
    bot?: string | null;
    /** With `by=model`: `provider/model`. */
    model?: string;
    channel?: string | null;
    external_user_id?: string | null;
    /** The number of turns; a turn that spans midnight counts on both days. */
    turns: number;
    input_tokens: number;
    output_tokens: number;
    /** How long calls by telephone and microphone lasted. */
    call_seconds: number;
    cost_usd: string | null;
    /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
    unpriced_models: (string)[];
  })[];
};

export type AccountKey = {
  id: string;
  name: string;
  /** `["all"]` includes abilities that are added later. */
  abilities: ("all" | "agents:trigger" | "approvals:write" | "bots:read" | "bots:write" | "calls:write" | "chat:write" | "conversations:read" | "conversations:write" | "knowledge:read" | "knowledge:write" | "machines:read" | "machines:write" | "recordings:read" | "tools:read" | "tools:write" | "voice:read" | "voice:write" | "widgets:read" | "widgets:write" | "workspace:read" | "workspace:write")[];
  workspace_id: string;
  expires_at: string | null;
  /** The last four characters of the key. */
  hint: string;
  created_by: string | null;
  created_at: string;
  revoked_at: string | null;
  last_used_at: string | null;
};

export type CreatedAccountKey = {
  id: string;
  name: string;
  /** `["all"]` includes abilities that are added later. */
  abilities: ("all" | "agents:trigger" | "approvals:write" | "bots:read" | "bots:write" | "calls:write" | "chat:write" | "conversations:read" | "conversations:write" | "knowledge:read" | "knowledge:write" | "machines:read" | "machines:write" | "recordings:read" | "tools:read" | "tools:write" | "voice:read" | "voice:write" | "widgets:read" | "widgets:write" | "workspace:read" | "workspace:write")[];
  workspace_id: string;
  expires_at: string | null;
  /** The key itself. It is stored only as a hash. */
  key: string;
};

export type FailedJob = {
  id: string;
  /** Jobs that failed for good: only these are kept. */
  status: "failed";
  /** The kind of work. */
  queue: string;
  /** The ids of what it was for, such as `knowledge_id`, `approval_id` or the `turn_id` of a run. */
  subject: Record<string, string>;
  /** Why its last attempt failed. */
  error: string;
  attempts: number;
  failed_at: string;
};

export type AuditEntry = {
  id: string;
  at: string;
  actor: {
    /** `member`: somebody in the console. `key`: an account key. `link`: somebody with the link of an approval, whose `name` is the address that it was sent to. `command`: the operator of the server. */
    type: "member" | "key" | "link" | "command" | "service";
    id: string | null;
    name: string | null;
  };
  action: "bot.created" | "bot.updated" | "bot.deactivated" | "bot.restored" | "tool.created" | "tool.updated" | "tool.deleted" | "tool.tested" | "hook.created" | "hook.updated" | "hook.deleted" | "hook.ran" | "number.created" | "number.updated" | "number.deleted" | "number.assigned" | "number.unassigned" | "knowledge.added" | "knowledge.updated" | "knowledge.refreshed" | "knowledge.removed" | "knowledge.restored" | "knowledge.deleted" | "widget_key.created" | "widget_key.updated" | "widget_key.revoked" | "widget.updated" | "key.created" | "key.revoked" | "machine.paired" | "machine.updated" | "machine.revoked" | "member.joined" | "member.updated" | "member.removed" | "invitation.created" | "invitation.revoked" | "workspace.created" | "workspace.updated" | "approval.answered" | "approval_grant.created" | "approval_grant.revoked" | "conversation.updated" | "conversation.truncated" | "conversation.deleted" | "end_user.erased" | "end_user.revoked" | "end_user.updated" | "retention.updated" | "retention.deleted" | "inbox.updated" | "canned_reply.created" | "canned_reply.updated" | "canned_reply.deleted" | "conversation_view.created" | "conversation_view.deleted" | "legal_hold.placed" | "legal_hold.released" | "scenario.created" | "scenario.updated" | "scenario.deleted" | "job.retried";
  object: {
    type: string;
    id: string | null;
    name: string | null;
  };
  /** The fields that changed. Secrets are never part of it, only whether they are set. */
  changes: ({
    field: string;
    /** Long texts are cut around what changed. */
    before: unknown;
    /** Long texts are cut around what changed. */
    after: unknown;
  })[];
};

export type Branch = {
  id: string;
  after_message_id: string | null;
  /** The user's message that it begins with. */
  first_message_id: string;
  /** What the user wrote in it first; at most 200 characters. */
  text: string;
  /** It is the one that was chosen at its place. */
  is_current: boolean;
  created_at: string;
};

export type CannedReply = {
  id: string;
  /** What people type to find it. */
  shortcut: string;
  /** May contain {{operator}}, {{bot}} and {{user}}: the names of the person who writes, of the bot, and of the user, who may have given none. The program in which it is used fills them in. */
  text: string;
  created_at: string;
  updated_at: string;
};

export type ConversationView = {
  id: string;
  name: string;
  filter: {
    /** What the search field of the console finds. */
    q?: string;
    bot_id?: string;
    channel?: "chat" | "widget" | "agent" | "voice" | "evaluation" | "test";
    external_user_id?: string;
    status?: "idle" | "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached" | "queued" | "ringing" | "in_progress" | "no_answer" | "busy" | "ended_by_limit";
    needs_human?: true;
    /** `me` is whoever looks. */
    assignee?: string | "none" | "me";
    state?: "open" | "snoozed" | "resolved";
    rating?: "up" | "down";
    label?: string;
  };
  created_at: string;
};

/** Without a person and a conversation it holds the whole workspace. */
export type LegalHold = {
  id: string;
  external_user_id: string | null;
  conversation_id: string | null;
  reason: string;
  created_at: string;
  created_by: {
    /** `member`: somebody in the console. `key`: an account key. `link`: somebody with the link of an approval, whose `name` is the address that it was sent to. `command`: the operator of the server. */
    type: "member" | "key" | "link" | "command" | "service";
    id: string | null;
    name: string | null;
  };
};

export type ToolGrant = {
  id: string;
  tool_id: string;
  /** As the model called it when the grant was given. */
  tool_name: string;
  bot_id: string;
  bot_name: string;
  expires_at: string | null;
  created_at: string;
  /** The member or key that gave it. */
  created_by: string;
  created_by_name: string | null;
};

export type InboxSettings = {
  /** What begins to wait for a person is assigned to the members who are at the console, one after the other. */
  assigns_in_turn: boolean;
};

export type Retention = {
  conversations_days: number | null;
  traces_days: number | null;
  events_days: number | null;
  recordings_days: number | null;
  audit_days: number | null;
  last_round: {
    started_at: string;
    ended_at: string;
    /** How many were deleted. What goes with a conversation is not counted again. */
    deleted: {
      conversations: number;
      traces: number;
      events: number;
      recordings: number;
      audit: number;
    };
  } | null;
};

export type RetentionPreview = {
  kinds: ({
    kind: "traces" | "events" | "recordings" | "audit" | "conversations";
    days: number | null;
    /** How many would be deleted now. */
    deleted: number;
    /** Only the 10,000 oldest were looked at: there may be more to delete. */
    is_at_least: boolean;
    oldest_kept: string | null;
  })[];
};

export type WidgetKey = {
  id: string;
  bot_id: string;
  /** Public: it stands in the HTML of the pages that use it. */
  api_key: string;
  name: string;
  /** Pages of these hosts may use the key: `shop.example.com`, `localhost:5173`, or `*.example.com` for every subdomain. If it is empty, only the service's own pages may. */
  allowed_domains: (string)[];
  /** Messages per hour that all visitors together may send. 1,000 by default. */
  rate_limit_per_hour: number;
  /** Messages per hour of one visitor. 60 by default. */
  visitor_messages_per_hour: number;
  visitor_usd_per_day: string | null;
  /** Visitors can prove who they are: the key has an identity secret. */
  verifies_identity: boolean;
  is_active: boolean;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  last_used_host: string | null;
};

export type IdentitySecret = {
  /** Shown this one time. */
  identity_secret: string;
};

export type WidgetSummary = {
  bot_id: string;
  active_keys: number;
  last_used_at: string | null;
  last_used_host: string | null;
};

export type WidgetCustomization = {
  id: string;
  bot_id: string;
  /** A CSS hex color: `#4f46e5` or `#45e`. */
  theme_color: string;
  position: "bottom-right" | "bottom-left" | "top-right" | "top-left";
  /** One line in the header. */
  greeting_text: string;
  welcome_message: string | null;
  avatar_url: string | null;
  show_branding: boolean;
  widget_title: string | null;
  placeholder_text: string;
  /** Visitors can talk to the bot with their microphone, where speech is set up for it. */
  voice_enabled: boolean;
  /** Visitors can send images and PDFs with their messages. */
  attachments_enabled: boolean;
  /** When visitors are asked for their name and email address before their first message. They can leave both empty. */
  ask_details: "never" | "before_chat" | "outside_hours";
  office_hours: {
    time_zone: string;
    /** A day can have several, or none. */
    opening_times: ({
      day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
      /** By the clock of the time zone. */
      opens: string;
      /** Later than `opens`, on the same day, at 24:00 at the latest: a night has two entries. */
      closes: string;
    })[];
    /** What visitors read outside of these times. */
    closed_text: string;
  } | null;
  created_at: string;
  updated_at: string;
};

export type EmbedCode = {
  /** HTML to paste into a page. */
  embed_code: string;
  api_key: string;
};

export type WidgetLook = {
  theme_color: string;
  position: "bottom-right" | "bottom-left" | "top-right" | "top-left";
  title: string;
  greeting_text: string;
  welcome_message: string | null;
  placeholder_text: string;
  avatar_url: string | null;
  show_branding: boolean;
  /** Visitors can talk to the bot with their microphone. */
  voice: boolean;
  /** Visitors can send images and PDFs with their messages. */
  attachments: boolean;
  /** Visitors are asked for their name and email address before their first message. */
  asks_details: boolean;
  closed_text: string | null;
  /** The widget's own texts in the page's language; empty for English. */
  texts: Record<string, string>;
};

export type VisitorToken = {
  /** For the other requests of the widget, as a bearer token. */
  token: string;
  expires_at: string;
  /** Yields the next token for the same visitor. */
  renewal_token: string;
  /** The `external_user_id` of the conversations. */
  visitor_id: string;
};

export type VoiceSession = {
  /** Opens one connection, and reads what the call has used. */
  session_token: string;
  conversation_id: string;
  /** The connection must be opened before. */
  expires_at: string;
  /** The call is ended after this time. */
  max_seconds: number;
};

export type VoiceUsage = {
  session_token: string;
  bot_id: string;
  status: "queued" | "ringing" | "in_progress" | "completed" | "no_answer" | "busy" | "failed" | "ended_by_limit";
  started_at: string | null;
  /** How long the call has lasted; 0 before it is connected. */
  seconds: number;
  /** The call is ended after this time. */
  max_seconds: number;
  cost_usd: string | null;
  /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
  unpriced_models: (string)[];
  balance_usd: string | null;
};

export type VisitorVoiceUsage = {
  session_token: string;
  bot_id: string;
  status: "queued" | "ringing" | "in_progress" | "completed" | "no_answer" | "busy" | "failed" | "ended_by_limit";
  started_at: string | null;
  /** How long the call has lasted; 0 before it is connected. */
  seconds: number;
  /** The call is ended after this time. */
  max_seconds: number;
};

export type ConsoleBot = {
  id: string;
  tenant_id: string;
  name: string;
  description: string;
  system_prompt: string;
  prompt_builder: string | null;
  /** JSON encoded as a string; a quality flag that is absent is off. */
  settings: string;
  status: "active" | "inactive";
  /** `chatbot` answers turn by turn, `agent` pursues a goal on its own. */
  bot_type: "chatbot" | "agent";
  schedule: string | null;
  next_run_at: string | null;
  last_run_at: string | null;
  agent_goal: string | null;
  output_config: Record<string, unknown> | null;
  max_iterations: number;
  timeout_seconds: number | null;
  /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
  metadata: Record<string, string>;
  created_at: string;
  updated_at: string;
  /** The version that answers. */
  version: number;
  tool_count: number;
  /** Without tests and evaluations; 1001 for any number above 1000. */
  conversation_count: number;
  /** New conversations on each of the last seven days in UTC, today last. */
  week: (number)[];
};

export type ConsoleModels = {
  /** Answers for bots that name no model. */
  default_model: string;
  /** No provider is configured: only the built-in model answers, with passages. */
  is_built_in_only: boolean;
  /** Those that the service knows of the configured providers. Others can be used too. */
  models: ({
    id: string;
    provider: string;
    price: {
      input: number;
      cached_input: number;
      output: number;
    } | null;
  })[];
  /** The environment variables that would configure another provider. */
  variables: (string)[];
};

export type BotQuestions = {
  questions: (string)[];
  /** Whether the bot can find anything in its knowledge yet. */
  is_ready: boolean;
};

export type QualityReport = {
  /** Every day, in UTC, oldest first. */
  days: ({
    date: string;
    graded: number;
    average_score: number | null;
    /** Replies that were withheld. */
    refused: number;
    ungraded: number;
    validated: number;
    supported: number;
    unsupported: number;
  })[];
  total: {
    graded: number;
    average_score: number | null;
    /** Replies that were withheld. */
    refused: number;
    ungraded: number;
    validated: number;
    supported: number;
    unsupported: number;
  };
  /** The same by bot; those without a record are left out. */
  bots: ({
    bot_id: string;
    graded: number;
    average_score: number | null;
    /** Replies that were withheld. */
    refused: number;
    ungraded: number;
    validated: number;
    supported: number;
    unsupported: number;
  })[];
  ratings: {
    up: number;
    down: number;
    /** What users say was wrong, of the latest answers. */
    comments: ({
      bot_id: string;
      conversation_id: string;
      message_id: string;
      comment: string;
      /** When the answer was given. */
      created_at: string;
    })[];
  };
};

export type ReviewedReply = {
  id: string;
  bot_id: string;
  conversation_id: string;
  message_id: string;
  question: string | null;
  answer: string | null;
  sources: ({
    title: string;
    quote: string;
  })[];
  grading: "graded" | "ungraded" | null;
  score: number | null;
  ungraded_because: string | null;
  refused: boolean;
  refused_text: string | null;
  validation: "pending" | "validated" | "failed" | null;
  validation_problem: string | null;
  verdict: "supported" | "unsupported" | null;
  unsupported_claims: (string)[];
  created_at: string;
};

export type SystemFigures = {
  /** Those that are alive, at most 30; `figures` is null if the node did not answer in time. */
  nodes: ({
    id: string;
    figures: {
      turns_in_progress: number;
      calls_in_progress: number;
      /** Open event streams and WebSockets. */
      stream_readers: number;
      event_loop_delay_ms: number | null;
      memory_bytes: number;
      /** Of its connections to the database. */
      connections_in_use: number;
      /** Statements that wait for one. */
      connections_awaited: number;
      /** How far local speech recognition is behind. */
      recognition_lag_ms: number;
      /** Failed attempts of the last ten minutes. */
      provider_failures: ({
        provider: string;
        count: number;
      })[];
      disk_free_bytes: number | null;
      disk_size_bytes: number | null;
    } | null;
  })[];
  /** How many nodes are alive, even if not all of them are listed. */
  alive_nodes: number;
  queues: ({
    name: string;
    /** What is due and was not taken yet. */
    waiting: number;
    running: number;
    /** How long the oldest has waited. */
    oldest_seconds: number;
  })[] | null;
};

export type SystemReport = {
  release: string;
  default_model: string;
  providers: ({
    name: string;
    uses: ("chat" | "embeddings" | "speech")[];
    /** Whether it can be used: its key or its address is set. */
    is_ready: boolean;
    has_key: boolean;
    key_variable: string | null;
    url_variable: string | null;
  })[];
  mail: {
    is_ready: boolean;
    variable: string;
  };
  database: {
    is_embedded: boolean;
    version: string;
    milliseconds: number;
  };
  redis: {
    is_configured: boolean;
    is_connected: boolean;
  };
  nodes: ({
    id: string;
    /** It has answered this request. */
    is_this: boolean;
    release: string | null;
    started_at: string;
    seen_at: string;
    is_alive: boolean;
  })[];
  /** What is restricted at the moment, and why. */
  notes: (string)[];
  /** Whether owners of this workspace may read the figures of the installation. */
  shows_figures: boolean;
};

/** The person who is signed in; null for nobody. */
export type ConsoleSession = {
  user: {
    id: string;
    name: string;
    email: string;
  } | null;
  workspaces: ({
    id: string;
    name: string;
    /** `viewer` reads. `operator` also answers, runs and changes bots, tools and knowledge. `owner` also manages members, keys and the workspace. */
    role: "viewer" | "operator" | "owner";
  })[];
  /** An owner of the first workspace can. */
  can_create_workspaces: boolean;
  /** Nobody has an account yet: the set-up link makes the first. */
  needs_setup: boolean;
};

export type ConsoleConversation = {
  id: string;
  tenant_id: string;
  bot_id: string;
  /** `evaluation`: conversations of a bot that is tested, listed only when asked for by this channel. */
  channel: "chat" | "widget" | "agent" | "voice" | "evaluation" | "test";
  external_user_id: string | null;
  title: string;
  /** `idle`, `running` or `paused` for a chat; the status of the latest run for an agent's conversation, and of the call for a call's. */
  status: "idle" | "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached" | "queued" | "ringing" | "in_progress" | "no_answer" | "busy" | "ended_by_limit";
  /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
  metadata: Record<string, string>;
  needs_human: {
    /** Since when the bot is silent. */
    at: string;
    /** The latest one, of the bot or of the person who took over. */
    reason: string;
  } | null;
  assignee: string | null;
  state: "open" | "snoozed" | "resolved";
  snoozed_until: string | null;
  labels: (string)[];
  /** The members who were mentioned in a note and have not opened it since. */
  unread_mentions?: (string)[];
  message_count: number;
  created_at: string;
  updated_at: string;
  last_message_at: string | null;
  run?: {
    /** The `turn_id` of its events and trace steps. */
    id: string;
    status: "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached";
    trigger: "api" | "schedule" | "console";
    /** Replies of the model so far. */
    iterations: number;
    started_at: string;
    ended_at: string | null;
    deadline_at: string;
    error: {
      code: string;
      message: string;
    } | null;
    webhook?: {
      status: "pending" | "delivered" | "failed";
      attempts: number;
      last_error: string | null;
    };
  };
  call?: {
    /** The same as the id of its conversation. */
    call_id: string;
    /** `web`: from the microphone of a browser. */
    direction: "inbound" | "outbound" | "web";
    from_number: string | null;
    to_number: string | null;
    status: "queued" | "ringing" | "in_progress" | "completed" | "no_answer" | "busy" | "failed" | "ended_by_limit";
    answered_at: string | null;
    ended_at: string | null;
    /** Since it was answered; 0 if it was not. */
    duration_seconds: number;
    end_reason: "caller_hung_up" | "bot_hung_up" | "stopped" | "transferred" | "silence" | "no_answer" | "voicemail" | "busy" | "declined" | "max_duration" | "insufficient_balance" | "visitor_limit" | "not_placed" | "speech_failed" | "bot_failed" | "line_failed" | "node_lost" | "service_stopped" | null;
    end_detail: string | null;
    cost_usd: string | null;
    /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
    unpriced_models: (string)[];
    recording_ms: number | null;
    summary: string | null;
    /** Where the lines of the transcript begin in the recording. */
    recording_marks: ({
      /** Where it begins in the recording. */
      at_ms: number;
      turn_id: string | null;
      message_id: string | null;
    })[];
    /** How long the answers took, oldest first. */
    turns: ({
      turn_id: string;
      text_ms: number | null;
      end_of_turn_ms: number | null;
      model_ms: number | null;
      speech_ms: number | null;
      /** The caller interrupted the reply. */
      interrupted: boolean;
    })[];
    /** What ran after the call, in order. */
    hooks: ({
      hook_id: string;
      tool_name: string;
      tool_type: string;
      /** `unknown`: it may or may not have been carried out. The service was cut off while it ran, or it did not end in time. */
      status: "pending" | "started" | "ok" | "error" | "unknown";
      error: string | null;
      started_at: string | null;
      ended_at: string | null;
    })[];
  };
  user_name: string | null;
  notes: (ConversationNote)[];
  /** For agents: the result of the latest run, a text or the requested JSON; null without one. */
  final_output?: unknown;
  /** The answer includes everything up to this event. */
  last_event_id: number;
  bot: {
    name: string;
    bot_type: "chatbot" | "agent";
    version: number;
    /** It answers nobody. */
    is_inactive: boolean;
    /** Its next turns are recorded step by step. */
    is_traced: boolean;
  };
  usage: {
    input_tokens: number;
    cached_input_tokens: number;
    output_tokens: number;
  };
  cost_usd: string | null;
  /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
  unpriced_models: (string)[];
  messages: ({
    id: string;
    role: "user" | "assistant" | "tool" | "operator";
    content: string;
    tool_calls: ({
      id: string;
      name: string;
      arguments: Record<string, unknown>;
      executed_arguments: Record<string, unknown> | null;
    })[];
    tool_call_id: string | null;
    citations: ({
      knowledge_id: string;
      title: string;
      source_url: string | null;
      quote: string;
      score: number;
    })[];
    interrupted: boolean;
    author_name: string | null;
    /** The files that the user sent with it. Left out if there are none. */
    attachments?: (Attachment)[];
    rating: "up" | "down" | null;
    /** Why the user rated it down; absent if they did not say. */
    rating_comment?: string;
    created_at: string;
    turn_id: string | null;
    model: string | null;
    usage: {
      input_tokens: number;
      cached_input_tokens: number;
      output_tokens: number;
    } | null;
    cost_usd: string | null;
    withheld: {
      text: string | null;
      score: number | null;
    } | null;
  })[];
  turns: ({
    id: string;
    status: "running" | "paused" | "completed" | "interrupted" | "failed";
    started_at: string;
    ended_at: string | null;
    error: {
      code: string;
      message: string;
    } | null;
    stopped_by: string | null;
    bot_version: number | null;
    model: string | null;
    usage: {
      input_tokens: number;
      cached_input_tokens: number;
      output_tokens: number;
    };
    cost_usd: string | null;
    /** Models whose price is not known (`SVC_MODEL_PRICES`): their use is not in `cost_usd`. */
    unpriced_models: (string)[];
  })[];
  calls: ({
    id: string;
    turn_id: string;
    name: string;
    tool_type: string;
    status: "proposed" | "started" | "ok" | "error" | "denied" | "unknown";
    started_at: string | null;
    duration_ms: number | null;
  })[];
  approvals: (ApprovalDetail)[];
  branches: (Branch)[];
};

export type ConsoleTrace = {
  conversation_id: string;
  turn_id: string | null;
  /** `events`: the turn was not traced, and the steps follow from its events. */
  source: "trace" | "events";
  steps: ({
    id: string;
    turn_id: string;
    index: number;
    type: "model" | "tool" | "retrieval" | "approval" | "confidence" | "validation" | "goal_completion_check";
    name: string;
    status: "ok" | "error";
    started_at: string;
    duration_ms: number;
    /** Null for `confidence` and `validation`. */
    input: unknown;
    /** Null for `confidence` and `validation`, except that keys with `workspace:read` get `{ verdict, unsupported_claims }` of a `validation`: `supported` or `unsupported`, and a number. For a reply that was not sent, it says only that. */
    output: unknown;
    usage: {
      input_tokens: number;
      cached_input_tokens: number;
      output_tokens: number;
    } | null;
    error: string | null;
    cost_usd: string | null;
  })[];
};

export type ConsoleWorkspace = {
  id: string;
  name: string;
};

export type Member = {
  id: string;
  name: string;
  email: string;
  /** `viewer` reads. `operator` also answers, runs and changes bots, tools and knowledge. `owner` also manages members, keys and the workspace. */
  role: "viewer" | "operator" | "owner";
  created_at: string;
};

export type MemberHolding = {
  type: "key" | "machine" | "machine_use" | "identity_secret" | "approval_notice" | "invitation";
  /** Of an identity secret: that of its widget key. Of the use of a machine: that of the machine. Of an approval notice: that of its bot. */
  id: string;
  name: string | null;
  created_at: string;
  /** It exceeds what is left of the rights of the member. */
  is_revoked: boolean;
};

export type Invitation = {
  id: string;
  /** `viewer` reads. `operator` also answers, runs and changes bots, tools and knowledge. `owner` also manages members, keys and the workspace. */
  role: "viewer" | "operator" | "owner";
  email: string | null;
  created_by: string | null;
  created_at: string;
  expires_at: string;
};

export type NewInvitation = {
  id: string;
  /** `viewer` reads. `operator` also answers, runs and changes bots, tools and knowledge. `owner` also manages members, keys and the workspace. */
  role: "viewer" | "operator" | "owner";
  email: string | null;
  created_by: string | null;
  created_at: string;
  expires_at: string;
  /** The link to send. Shown only now. */
  url: string;
};

export type KnowledgeSource = {
  id: string;
  tenant_id: string;
  bot_id: string | null;
  title: string;
  content_type: "text" | "uploaded_file" | "url";
  source_filename: string | null;
  source_url: string | null;
  /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
  metadata: Record<string, string>;
  processing_status: "pending" | "processing" | "completed" | "failed";
  /** From 0 to 1. */
  processing_progress: number;
  error: string | null;
  status: "active" | "inactive";
  created_at: string;
  updated_at: string;
  /** How many passages bots can find in it. */
  passage_count: number;
  /** Only of a single source: GET /api/v1/knowledge/{id} shows a part of its text. Bots find all of it. */
  content_truncated?: boolean;
};

export type KnowledgeOverview = {
  active: number;
  unfinished: number;
  failed: number;
  deleted: number;
  passages: number;
  embedding_model: string | null;
};

export type SourcePassages = {
  total: number;
  wanted: string | null;
  passages: ({
    id: string;
    /** Counted from 0. */
    position: number;
    heading_path: (string)[];
    content: string;
    token_count: number;
    /** It can be found by meaning, not only by words. */
    is_embedded: boolean;
  })[];
};

export type ExplainedSearch = {
  passages: ({
    knowledge_id: string;
    title: string;
    source_url: string | null;
    quote: string;
    score: number;
    /** How close it is in meaning; 0 if it was not found that way. */
    vector_score: number;
    /** How well its words match; 0 if it was not found that way. */
    keyword_score: number;
    passage_id: string;
    heading_path: (string)[];
  })[];
  embedding_model: string | null;
};

export type OfferedFunction = {
  name: string;
  /** Its own name at an MCP server; otherwise the same as its name. */
  key: string;
  description: string;
  parameters: Record<string, unknown>;
  approval: "never" | "always";
  /** Why models do not get it. */
  unusable?: string;
};

export type ToolUse = {
  tool_id: string;
  /** The bots that can call it. */
  bot_ids: (string)[];
  /** The bots that run it after a call. */
  hook_bot_ids: (string)[];
  secrets: ({
    field: string;
    set_at: string;
  })[];
};

export type VoiceReport = {
  transport: "twilio" | "sip" | null;
  webhooks: {
    incoming: string;
    status: string;
  } | null;
  /** What can turn speech into text, the preferred first. */
  listening: (string)[];
  /** What can turn text into speech, the preferred first. */
  speaking: (string)[];
  /** Which parts of the speech that needs no provider are installed. */
  local: {
    listening: boolean;
    speaking: boolean;
  };
  /** How far local speech recognition is behind what callers say, at worst during the last seconds, on the node that answers. */
  listening_lag_ms: number;
  /** Bots whose language is not understood on calls: their callers are told so. */
  unheard_bots: (string)[];
  /** What calls lack, and what to do about it. */
  problems: (string)[];
  /** What bots of this workspace may dial; null means as often as they like. */
  dialing: {
    /** Where calls and transfers may go besides the country that they come from: countries, `premium`, `satellite`, `all`, and single numbers. */
    destinations: (string)[];
    calls_per_hour: number | null;
    calls_per_day: number | null;
  };
  free_numbers: (string)[] | null;
};

/** What each operation takes, and what it returns: as JSON, or as events of a stream. */
export interface Operations {
  /** The OpenAPI 3.1 document of this service */
  'GET /openapi.json': {
    response: unknown;
  };
  /** List who changed what, newest first */
  'GET /api/v1/audit': {
    query?: {
      actor?: string;
      action?: string;
      object?: string;
      before?: string;
      limit?: number;
    };
    response: (AuditEntry)[];
  };
  /** List legal holds, oldest first */
  'GET /api/v1/legal-holds': {
    response: (LegalHold)[];
  };
  /** Keep data from being deleted */
  'POST /api/v1/legal-holds': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      /** Every conversation of this person, later ones too. */
      external_user_id?: string;
      /** This conversation. */
      conversation_id?: string;
      /** Why, such as the number of a case. The audit log keeps it, so name no end user here. */
      reason: string;
    };
    response: LegalHold;
  };
  /** Release a legal hold */
  'DELETE /api/v1/legal-holds/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** Read what was used, what it cost, and what is left */
  'GET /api/v1/usage': {
    query?: {
      from?: string;
      to?: string;
      by?: string;
    };
    response: UsageReport;
  };
  /** List account keys, oldest first */
  'GET /api/v1/keys': {
    response: (AccountKey)[];
  };
  /** Create an account key */
  'POST /api/v1/keys': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      /** What it is for. */
      name: string;
      abilities: "all" | ("all" | "agents:trigger" | "approvals:write" | "bots:read" | "bots:write" | "calls:write" | "chat:write" | "conversations:read" | "conversations:write" | "knowledge:read" | "knowledge:write" | "machines:read" | "machines:write" | "recordings:read" | "tools:read" | "tools:write" | "voice:read" | "voice:write" | "widgets:read" | "widgets:write" | "workspace:read" | "workspace:write")[];
      expires_at?: string | null;
    };
    response: CreatedAccountKey;
  };
  /** Revoke an account key */
  'DELETE /api/v1/keys/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** List background jobs that failed for good, newest first */
  'GET /api/v1/jobs': {
    query?: {
      status?: "failed";
      limit?: number;
      before?: string;
    };
    response: (FailedJob)[];
  };
  /** Put a failed job back into its queue */
  'POST /api/v1/jobs/{id}/retry': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    response: {
      message: string;
    };
  };
  /** List all bots */
  'GET /api/v1/bots': {
    query?: {
      'metadata.<key>'?: string;
    };
    response: (Bot)[];
  };
  /** Create a bot */
  'POST /api/v1/bots': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      name: string;
      model?: string | null;
      temperature?: number | null;
      max_steps?: number | null;
      chat_greeting?: string | null;
      tts_provider?: "elevenlabs" | "cartesia" | null;
      tts_voice?: string | null;
      voice_greeting?: string | null;
      end_call_enabled?: boolean | null;
      call_transfer_enabled?: boolean | null;
      call_transfer_number?: string | null;
      call_transfer_announcement?: string | null;
      keypad_masking?: boolean | null;
      call_patience?: "quick" | "normal" | "patient" | null;
      call_interruption?: "speech" | "words" | "never" | null;
      record_calls?: boolean | null;
      recording_announcement?: string | null;
      recording_retention_days?: number | null;
      outbound_calls_enabled?: boolean | null;
      max_call_seconds?: number | null;
      approval_notice?: {
        /** Gets `{ type: "approval.requested", delivery_id, run_id, approval, link }` by POST (`run_id` only in a run), signed in the header `svc-signature: t=<unix time>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>` under the secret of `GET /bots/{id}/webhook-secret`. Any answer but 2xx is retried, with the same `svc-delivery-id`. An address that is not public is refused. */
        webhook_url?: string;
        /** Gets a mail with the call and the link. Needs `SVC_SMTP_URL`. */
        email?: string;
      } | null;
      persistent_conversation?: boolean | null;
      enable_agent_tracing?: boolean | null;
      enable_confidence_scoring?: boolean | null;
      safe_message?: string | null;
      enable_response_validation?: boolean | null;
      description?: string;
      system_prompt?: string;
      prompt_builder?: {
        role?: string;
        goal?: string;
        tone?: string;
        language?: string;
        instructions?: (string)[];
        /** Rules for every answer, each as a sentence: `Answer in one sentence.` */
        constraints?: (string)[];
        examples?: ({
          user: string;
          assistant: string;
        })[];
      } | string | null;
      settings?: {
        model?: string | null;
        temperature?: number | null;
        max_steps?: number | null;
        chat_greeting?: string | null;
        tts_provider?: "elevenlabs" | "cartesia" | null;
        tts_voice?: string | null;
        voice_greeting?: string | null;
        end_call_enabled?: boolean | null;
        call_transfer_enabled?: boolean | null;
        call_transfer_number?: string | null;
        call_transfer_announcement?: string | null;
        keypad_masking?: boolean | null;
        call_patience?: "quick" | "normal" | "patient" | null;
        call_interruption?: "speech" | "words" | "never" | null;
        record_calls?: boolean | null;
        recording_announcement?: string | null;
        recording_retention_days?: number | null;
        outbound_calls_enabled?: boolean | null;
        max_call_seconds?: number | null;
        approval_notice?: {
          /** Gets `{ type: "approval.requested", delivery_id, run_id, approval, link }` by POST (`run_id` only in a run), signed in the header `svc-signature: t=<unix time>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>` under the secret of `GET /bots/{id}/webhook-secret`. Any answer but 2xx is retried, with the same `svc-delivery-id`. An address that is not public is refused. */
          webhook_url?: string;
          /** Gets a mail with the call and the link. Needs `SVC_SMTP_URL`. */
          email?: string;
        } | null;
        persistent_conversation?: boolean | null;
        enable_agent_tracing?: boolean | null;
        enable_confidence_scoring?: boolean | null;
        safe_message?: string | null;
        enable_response_validation?: boolean | null;
      } | string;
      /** `chatbot` answers turn by turn, `agent` pursues a goal on its own. */
      bot_type?: "chatbot" | "agent";
      status?: "active" | "inactive";
      agent_goal?: string | null;
      schedule?: string | null;
      output_config?: {
        format: "text" | "json";
        /** A JSON Schema, at most 32,768 bytes. Keywords that are not supported are refused by name. */
        schema?: Record<string, unknown>;
        /** Gets `{ type: "run.ended", delivery_id, run_id, bot_id, conversation_id, run, final_output }` by POST when a run ends, with the headers of `approval_notice.webhook_url`. An address that is not public is refused. */
        webhook_url?: string;
      } | null;
      /** Default 25. */
      max_iterations?: number;
      timeout_seconds?: number | null;
      /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
      metadata?: Record<string, string>;
    };
    response: {
      id: string;
    };
  };
  /** Read a bot */
  'GET /api/v1/bots/{id}': {
    path: {
      id: string;
    };
    response: Bot;
  };
  /** Change a bot */
  'PUT /api/v1/bots/{id}': {
    path: {
      id: string;
    };
    body: {
      name?: string;
      model?: string | null;
      temperature?: number | null;
      max_steps?: number | null;
      chat_greeting?: string | null;
      tts_provider?: "elevenlabs" | "cartesia" | null;
      tts_voice?: string | null;
      voice_greeting?: string | null;
      end_call_enabled?: boolean | null;
      call_transfer_enabled?: boolean | null;
      call_transfer_number?: string | null;
      call_transfer_announcement?: string | null;
      keypad_masking?: boolean | null;
      call_patience?: "quick" | "normal" | "patient" | null;
      call_interruption?: "speech" | "words" | "never" | null;
      record_calls?: boolean | null;
      recording_announcement?: string | null;
      recording_retention_days?: number | null;
      outbound_calls_enabled?: boolean | null;
      max_call_seconds?: number | null;
      approval_notice?: {
        /** Gets `{ type: "approval.requested", delivery_id, run_id, approval, link }` by POST (`run_id` only in a run), signed in the header `svc-signature: t=<unix time>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>` under the secret of `GET /bots/{id}/webhook-secret`. Any answer but 2xx is retried, with the same `svc-delivery-id`. An address that is not public is refused. */
        webhook_url?: string;
        /** Gets a mail with the call and the link. Needs `SVC_SMTP_URL`. */
        email?: string;
      } | null;
      persistent_conversation?: boolean | null;
      enable_agent_tracing?: boolean | null;
      enable_confidence_scoring?: boolean | null;
      safe_message?: string | null;
      enable_response_validation?: boolean | null;
      description?: string;
      system_prompt?: string;
      prompt_builder?: {
        role?: string;
        goal?: string;
        tone?: string;
        language?: string;
        instructions?: (string)[];
        /** Rules for every answer, each as a sentence: `Answer in one sentence.` */
        constraints?: (string)[];
        examples?: ({
          user: string;
          assistant: string;
        })[];
      } | string | null;
      settings?: {
        model?: string | null;
        temperature?: number | null;
        max_steps?: number | null;
        chat_greeting?: string | null;
        tts_provider?: "elevenlabs" | "cartesia" | null;
        tts_voice?: string | null;
        voice_greeting?: string | null;
        end_call_enabled?: boolean | null;
        call_transfer_enabled?: boolean | null;
        call_transfer_number?: string | null;
        call_transfer_announcement?: string | null;
        keypad_masking?: boolean | null;
        call_patience?: "quick" | "normal" | "patient" | null;
        call_interruption?: "speech" | "words" | "never" | null;
        record_calls?: boolean | null;
        recording_announcement?: string | null;
        recording_retention_days?: number | null;
        outbound_calls_enabled?: boolean | null;
        max_call_seconds?: number | null;
        approval_notice?: {
          /** Gets `{ type: "approval.requested", delivery_id, run_id, approval, link }` by POST (`run_id` only in a run), signed in the header `svc-signature: t=<unix time>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>` under the secret of `GET /bots/{id}/webhook-secret`. Any answer but 2xx is retried, with the same `svc-delivery-id`. An address that is not public is refused. */
          webhook_url?: string;
          /** Gets a mail with the call and the link. Needs `SVC_SMTP_URL`. */
          email?: string;
        } | null;
        persistent_conversation?: boolean | null;
        enable_agent_tracing?: boolean | null;
        enable_confidence_scoring?: boolean | null;
        safe_message?: string | null;
        enable_response_validation?: boolean | null;
      } | string;
      /** `chatbot` answers turn by turn, `agent` pursues a goal on its own. */
      bot_type?: "chatbot" | "agent";
      status?: "active" | "inactive";
      agent_goal?: string | null;
      schedule?: string | null;
      output_config?: {
        format: "text" | "json";
        /** A JSON Schema, at most 32,768 bytes. Keywords that are not supported are refused by name. */
        schema?: Record<string, unknown>;
        /** Gets `{ type: "run.ended", delivery_id, run_id, bot_id, conversation_id, run, final_output }` by POST when a run ends, with the headers of `approval_notice.webhook_url`. An address that is not public is refused. */
        webhook_url?: string;
      } | null;
      /** Default 25. */
      max_iterations?: number;
      timeout_seconds?: number | null;
      /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
      metadata?: Record<string, string>;
    };
    response: {
      message: string;
    };
  };
  /** Make a bot inactive */
  'DELETE /api/v1/bots/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** Switch a bot's chat model */
  'PATCH /api/v1/bots/{id}/model': {
    path: {
      id: string;
    };
    body: {
      model: string;
    };
    response: {
      message: string;
    };
  };
  /** Replace a bot's metadata */
  'PATCH /api/v1/bots/{id}/metadata': {
    path: {
      id: string;
    };
    body: Record<string, string>;
    response: {
      message: string;
    };
  };
  /** Read the secret that a bot's webhooks are signed with */
  'GET /api/v1/bots/{id}/webhook-secret': {
    path: {
      id: string;
    };
    response: {
      bot_id: string;
      webhook_secret: string;
    };
  };
  /** List all knowledge */
  'GET /api/v1/knowledge': {
    query?: {
      status?: "active" | "inactive";
      'metadata.<key>'?: string;
    };
    response: (Knowledge)[];
  };
  /** Add knowledge: a text, a URL or files */
  'POST /api/v1/knowledge': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      content_type: "text" | "url";
      /** Required for text; a URL's own title otherwise. */
      title?: string;
      /** Required for text. */
      content?: string;
      /** Required for url. */
      url?: string;
      bot_id?: string | null;
      /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
      metadata?: Record<string, string>;
    } | FormData;
    response: Knowledge | UploadOutcome;
  };
  /** Count knowledge by type and by status */
  'GET /api/v1/knowledge/stats': {
    response: KnowledgeStats;
  };
  /** Read a source of knowledge */
  'GET /api/v1/knowledge/{id}': {
    path: {
      id: string;
    };
    response: Knowledge;
  };
  /** Delete a source of knowledge */
  'DELETE /api/v1/knowledge/{id}': {
    path: {
      id: string;
    };
    query?: {
      type?: "soft" | "hard";
    };
    response: {
      message: string;
    };
  };
  /** Bring a softly deleted source back */
  'POST /api/v1/knowledge/{id}/restore': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    response: {
      message: string;
    };
  };
  /** Read a source again */
  'POST /api/v1/knowledge/{id}/refresh': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    response: {
      message: string;
    };
  };
  /** See what retrieval would find */
  'POST /api/v1/knowledge/search': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      query: string;
      bot_id?: string | null;
      /** Default 5. */
      limit?: number;
    };
    response: (FoundPassage)[];
  };
  /** Replace a source's metadata */
  'PATCH /api/v1/knowledge/{id}/metadata': {
    path: {
      id: string;
    };
    body: Record<string, string>;
    response: {
      message: string;
    };
  };
  /** List sources of knowledge without their texts, newest first */
  'GET /api/console/knowledge': {
    query?: {
      q?: string;
      bot_id?: string;
      status?: "unfinished" | "completed" | "failed";
      type?: "text" | "uploaded_file" | "url";
      deleted?: boolean;
      limit?: number;
      before?: string;
    };
    response: (KnowledgeSource)[];
  };
  /** Count sources and passages, and see how they are searched */
  'GET /api/console/knowledge/overview': {
    response: KnowledgeOverview;
  };
  /** Read a source of knowledge without its text, even if it was deleted */
  'GET /api/console/knowledge/{id}': {
    path: {
      id: string;
    };
    response: KnowledgeSource;
  };
  /** List a source's passages in the order of its text */
  'GET /api/console/knowledge/{id}/passages': {
    path: {
      id: string;
    };
    query?: {
      from?: number;
      passage?: string;
      limit?: number;
    };
    response: SourcePassages;
  };
  /** See which passages bots would find, and why */
  'POST /api/console/knowledge/search': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      query: string;
      bot_id?: string | null;
      /** Default 5. */
      limit?: number;
    };
    response: ExplainedSearch;
  };
  /** List paired machines, oldest first */
  'GET /api/v1/machines': {
    response: (Machine)[];
  };
  /** Pair a machine */
  'POST /api/v1/machines': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      /** What people call it. */
      name: string;
    };
    response: PairedMachine;
  };
  /** Say who may use a machine */
  'PATCH /api/v1/machines/{id}': {
    path: {
      id: string;
    };
    body: {
      name?: string;
      /** The members who may use it besides its owner. Replaces the list. */
      allowed_members?: (string)[];
      /** The bots that may work on it, for people who may use it. Replaces the list. */
      allowed_bots?: (string)[];
    };
    response: Machine;
  };
  /** Revoke a machine */
  'DELETE /api/v1/machines/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** The machine that a key belongs to */
  'GET /api/machines/whoami': {
    response: {
      id: string;
      name: string;
    };
  };
  /** List conversations, newest first */
  'GET /api/v1/conversations': {
    query?: {
      external_user_id?: string;
      channel?: "chat" | "widget" | "agent" | "voice" | "evaluation" | "test";
      bot_id?: string;
      needs_human?: boolean;
      assignee?: string | "none";
      state?: "open" | "snoozed" | "resolved";
      rating?: "up" | "down";
      limit?: number;
      before?: string;
      'metadata.<key>'?: string;
    };
    response: (Conversation)[];
  };
  /** Read a conversation with its messages */
  'GET /api/v1/conversations/{id}': {
    path: {
      id: string;
    };
    query?: {
      external_user_id?: string;
    };
    response: ConversationDetail;
  };
  /** Change a conversation */
  'PATCH /api/v1/conversations/{id}': {
    path: {
      id: string;
    };
    body: {
      /** The end user can see it too. */
      title?: string;
      /** Null returns the conversation to the bot. Without `at`, it takes over: the bot is stopped and stays silent until then. The current value changes nothing. */
      needs_human?: null | {
        /** Since when the bot is silent. */
        at?: string;
        reason: string;
      };
      assignee?: string | null;
      /** `snoozed` needs `snoozed_until`. `resolved` also returns the conversation to the bot. A message of the user opens it again. */
      state?: "open" | "snoozed" | "resolved";
      snoozed_until?: string | null;
      labels?: (string)[];
      /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
      metadata?: Record<string, string>;
    };
    response: {
      message: string;
    };
  };
  /** Delete a conversation */
  'DELETE /api/v1/conversations/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** Read what happened in a conversation, step by step */
  'GET /api/v1/conversations/{id}/trace': {
    path: {
      id: string;
    };
    query?: {
      external_user_id?: string;
    };
    response: Trace;
  };
  /** Upload a file for a message */
  'POST /api/v1/attachments': {
    header?: {
      'idempotency-key'?: string;
    };
    body: FormData;
    response: Attachment;
  };
  /** Replace a conversation's metadata */
  'PATCH /api/v1/conversations/{id}/metadata': {
    path: {
      id: string;
    };
    body: Record<string, string>;
    response: {
      message: string;
    };
  };
  /** Write to the user as a person */
  'POST /api/v1/conversations/{id}/messages': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      content: string;
      /** Who writes, as the user should see it. The bot does not see it. */
      author_name?: string;
    };
    response: {
      id: string;
    };
  };
  /** Leave a note for the team */
  'POST /api/v1/conversations/{id}/notes': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      text: string;
      /** Members of the workspace who should read it: the console tells them. The text should name them. */
      mentions?: (string)[];
    };
    response: {
      id: string;
    };
  };
  /** Rate an answer of the bot for its user */
  'PUT /api/v1/conversations/{id}/messages/{message_id}/rating': {
    path: {
      id: string;
      message_id: string;
    };
    body: {
      rating: "up" | "down" | null;
      /** What was wrong, with the rating `down` only. Another rating removes it. */
      comment?: string;
    };
    response: {
      message: string;
    };
  };
  /** Read how conversations are shared */
  'GET /api/v1/inbox': {
    response: InboxSettings;
  };
  /** Set how conversations are shared */
  'PUT /api/v1/inbox': {
    body: {
      /** What begins to wait for a person is assigned to the members who are at the console, one after the other. */
      assigns_in_turn: boolean;
    };
    response: InboxSettings;
  };
  /** List canned replies by their shortcuts */
  'GET /api/v1/canned-replies': {
    response: (CannedReply)[];
  };
  /** Create a canned reply */
  'POST /api/v1/canned-replies': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      /** What people type to find it. */
      shortcut: string;
      /** May contain {{operator}}, {{bot}} and {{user}}: the names of the person who writes, of the bot, and of the user, who may have given none. The program in which it is used fills them in. */
      text: string;
    };
    response: {
      id: string;
    };
  };
  /** Change a canned reply */
  'PUT /api/v1/canned-replies/{id}': {
    path: {
      id: string;
    };
    body: {
      /** What people type to find it. */
      shortcut?: string;
      /** May contain {{operator}}, {{bot}} and {{user}}: the names of the person who writes, of the bot, and of the user, who may have given none. The program in which it is used fills them in. */
      text?: string;
    };
    response: {
      message: string;
    };
  };
  /** Delete a canned reply */
  'DELETE /api/v1/canned-replies/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** List saved views of conversations by their names */
  'GET /api/v1/conversation-views': {
    response: (ConversationView)[];
  };
  /** Save a view of conversations for the team */
  'POST /api/v1/conversation-views': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      name: string;
      filter: {
        /** What the search field of the console finds. */
        q?: string;
        bot_id?: string;
        channel?: "chat" | "widget" | "agent" | "voice" | "evaluation" | "test";
        external_user_id?: string;
        status?: "idle" | "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached" | "queued" | "ringing" | "in_progress" | "no_answer" | "busy" | "ended_by_limit";
        needs_human?: true;
        /** `me` is whoever looks. */
        assignee?: string | "none" | "me";
        state?: "open" | "snoozed" | "resolved";
        rating?: "up" | "down";
        label?: string;
      };
    };
    response: {
      id: string;
    };
  };
  /** Delete a saved view */
  'DELETE /api/v1/conversation-views/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** Read what is known of a person */
  'GET /api/v1/end-users/{external_user_id}': {
    path: {
      external_user_id: string;
    };
    response: EndUserDetails;
  };
  /** Correct the name or email of a person */
  'PATCH /api/v1/end-users/{external_user_id}': {
    path: {
      external_user_id: string;
    };
    body: {
      name?: string | null;
      email?: string | null;
    };
    response: {
      message: string;
    };
  };
  /** Erase a person */
  'DELETE /api/v1/end-users/{external_user_id}': {
    path: {
      external_user_id: string;
    };
    response: {
      message: string;
      deleted_conversations: number;
    };
  };
  /** List all tools */
  'GET /api/v1/tools': {
    query?: {
      'metadata.<key>'?: string;
    };
    response: (Tool)[];
  };
  /** Create a tool */
  'POST /api/v1/tools': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      tool_type: string;
      name: string;
      /** What it does and when to use it: the model reads this. */
      description: string;
      /** Fits the type's configuration_schema. Secret fields are written here and never returned. */
      configuration: Record<string, unknown>;
      /** Bots that are created from now on get it. Not for tools that work on machines. */
      is_default?: boolean;
      preset_id?: string | null;
      /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
      metadata?: Record<string, string>;
    };
    response: {
      id: string;
    };
  };
  /** List the types of tools, their configuration schemas and presets */
  'GET /api/v1/tools/catalog': {
    response: (CatalogEntry)[];
  };
  /** List a bot's tools */
  'GET /api/v1/tools/bot': {
    query: {
      bot_id: string;
    };
    response: (ToolAssignment)[];
  };
  /** Read a tool */
  'GET /api/v1/tools/{id}': {
    path: {
      id: string;
    };
    response: Tool;
  };
  /** Change a tool */
  'PUT /api/v1/tools/{id}': {
    path: {
      id: string;
    };
    body: {
      name?: string;
      /** What it does and when to use it: the model reads this. */
      description?: string;
      /** Fits the type's configuration_schema. Secret fields are written here and never returned. */
      configuration?: Record<string, unknown>;
      is_active?: boolean;
      /** Bots that are created from now on get it. Not for tools that work on machines. */
      is_default?: boolean;
      preset_id?: string | null;
      /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
      metadata?: Record<string, string>;
    };
    response: {
      message: string;
    };
  };
  /** Delete a tool, its secrets and its assignments */
  'DELETE /api/v1/tools/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** Run a tool once, for real */
  'POST /api/v1/tools/{id}/test': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      parameters?: Record<string, unknown>;
    };
    response: ToolTestResult;
  };
  /** Replace a bot's tools */
  'POST /api/v1/tools/assign': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      bot_id: string;
      assignments: ({
        tool_type: string;
        tool_configuration_id?: string | null;
        tool_instructions?: string;
        speak_during_execution?: boolean;
        speak_after_execution?: boolean;
        /** `passthrough` shows the error to the model and the readers, `hide` only that the tool failed; the trace has the cause. */
        tool_error_handling_mode?: "passthrough" | "hide";
      })[];
    };
    response: {
      message: string;
    };
  };
  /** Replace a tool's metadata */
  'PATCH /api/v1/tools/{id}/metadata': {
    path: {
      id: string;
    };
    body: Record<string, string>;
    response: {
      message: string;
    };
  };
  /** List the versions of a bot's configuration, newest first */
  'GET /api/v1/bots/{id}/versions': {
    path: {
      id: string;
    };
    query?: {
      limit?: number;
      before?: number;
    };
    response: (BotVersion)[];
  };
  /** Read a version with its whole configuration */
  'GET /api/v1/bots/{id}/versions/{number}': {
    path: {
      id: string;
      number: string;
    };
    response: BotVersionDetail;
  };
  /** Make a version current again */
  'POST /api/v1/bots/{id}/versions/{number}/restore': {
    path: {
      id: string;
      number: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    response: {
      message: string;
      /** The bot's version now. */
      version: number;
    };
  };
  /** Draft tools from an API's documentation */
  'POST /api/v1/tools/discover': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      /** Where the documentation is: a document of OpenAPI 3 or Swagger 2.0 (JSON or YAML) or a page. */
      url?: string;
      /** The documentation itself, at most 32 MB (33,554,432 bytes of UTF-8). */
      documentation?: string;
      /** What the tools are for, in a few words: selects among the operations. Not together with `operations`. */
      goal?: string;
      /** Exactly these operations of an OpenAPI document, by operation id or as `GET /path`. Not together with `goal`. */
      operations?: (string)[];
    };
    response: DiscoveredTools;
    events: ToolDiscoverEvent;
  };
  /** Draft tools from an OpenAPI document, without a model */
  'POST /api/console/tools/import': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      /** Where the documentation is: a document of OpenAPI 3 or Swagger 2.0 (JSON or YAML) or a page. */
      url?: string;
      /** The documentation itself, at most 32 MB (33,554,432 bytes of UTF-8). */
      documentation?: string;
      /** What the tools are for, in a few words: selects among the operations. Not together with `operations`. */
      goal?: string;
      /** Exactly these operations of an OpenAPI document, by operation id or as `GET /path`. Not together with `goal`. */
      operations?: (string)[];
    };
    response: DiscoveredTools;
  };
  /** Draft a bot from a description and sources */
  'POST /api/v1/bots/discover': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      /** What the bot is for. */
      description: string;
      /** Each a URL, which is fetched, or a text. */
      sources?: (string)[];
    };
    response: DiscoveredBot;
    events: BotDiscoverEvent;
  };
  /** List a bot's hooks, in the order in which they run */
  'GET /api/v1/bots/{botID}/post-call-hooks': {
    path: {
      botID: string;
    };
    response: (PostCallHook)[];
  };
  /** Run a tool after every call */
  'POST /api/v1/bots/{botID}/post-call-hooks': {
    path: {
      botID: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      tool_configuration_id: string;
      /** Lower runs first; default 0. */
      run_order?: number;
      /** Default true. */
      enabled?: boolean;
      /** Arguments for the tool. In strings, at any depth, `{{transcript}}`, `{{summary}}`, `{{conversation_id}}` and fields of the call such as `{{call.from_number}}` are filled in; a string that is only a placeholder keeps the type of its value, and `{{call.*}}` is the whole call. For a tool with several functions, `$function` names one. */
      params_template?: Record<string, unknown>;
    };
    response: {
      id: string;
    };
  };
  /** Change a hook */
  'PUT /api/v1/bots/{botID}/post-call-hooks/{hookID}': {
    path: {
      botID: string;
      hookID: string;
    };
    body: {
      tool_configuration_id?: string;
      /** Lets a suspended hook run its tool as it is now. Needs the ability `approvals:write` while the tool asks. */
      confirm?: true;
      /** Lower runs first; default 0. */
      run_order?: number;
      /** Default true. */
      enabled?: boolean;
      /** Arguments for the tool. In strings, at any depth, `{{transcript}}`, `{{summary}}`, `{{conversation_id}}` and fields of the call such as `{{call.from_number}}` are filled in; a string that is only a placeholder keeps the type of its value, and `{{call.*}}` is the whole call. For a tool with several functions, `$function` names one. */
      params_template?: Record<string, unknown>;
    };
    response: {
      message: string;
    };
  };
  /** Remove a hook */
  'DELETE /api/v1/bots/{botID}/post-call-hooks/{hookID}': {
    path: {
      botID: string;
      hookID: string;
    };
    response: {
      message: string;
    };
  };
  /** List what was allowed together with an approval, oldest first */
  'GET /api/v1/approval-grants': {
    query?: {
      conversation_id?: string;
      machine_id?: string;
    };
    response: (ApprovalGrant)[];
  };
  /** Revoke a grant */
  'DELETE /api/v1/approval-grants/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** List the tools that bots may call without asking, oldest first */
  'GET /api/v1/tool-grants': {
    response: (ToolGrant)[];
  };
  /** Ask about the calls of a tool again */
  'DELETE /api/v1/tool-grants/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** Send a message and receive the reply as server-sent events */
  'POST /api/v1/chat/send-stream': {
    header?: {
      'last-event-id'?: string;
      'idempotency-key'?: string;
    };
    body: {
      /** May be left out when conversation_id is given. */
      bot_id?: string;
      message: string;
      /** The owner of the conversation: the integration's own id of its end user. Required with an account key; an end-user token already names its user. */
      external_user_id?: string;
      /** Start a new conversation. */
      new_conversation?: boolean;
      /** Continue this conversation. */
      conversation_id?: string;
      /** A paired machine for file and shell work. The conversation remembers it. */
      code_machine_id?: string;
      /** The project directory on that machine. The conversation remembers it. */
      code_workdir?: string;
      /** `plan`: the tools of the bot can only read until a plan that it presents is approved. `work` ends that. The conversation remembers it. */
      code_mode?: "plan" | "work";
      /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
      metadata?: Record<string, string>;
      /** Files that were uploaded for this message, each of which can be sent once. */
      attachments?: (string)[];
    };
    events: StreamEvent;
  };
  /** Follow a conversation as server-sent events */
  'GET /api/v1/chat/stream': {
    query: {
      conversation_id: string;
      external_user_id?: string;
      after?: number;
    };
    header?: {
      'last-event-id'?: string;
    };
    events: StreamEvent;
  };
  /** List the events of a conversation */
  'GET /api/v1/chat/events': {
    query: {
      conversation_id: string;
      external_user_id?: string;
      after?: number;
    };
    response: (Event)[];
  };
  /** Tokens and cost of a conversation */
  'GET /api/v1/chat/stats': {
    query: {
      conversation_id: string;
      external_user_id?: string;
    };
    response: ChatStats;
  };
  /** Interrupt the turn of a conversation */
  'POST /api/v1/chat/stop': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      conversation_id: string;
    };
    response: {
      /** Whether a running or paused turn was interrupted. */
      stopped: boolean;
    };
  };
  /** Remove everything after a message */
  'POST /api/v1/conversations/{id}/truncate': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      message_id: string;
      /** Also undo the file changes that the removed calls made on paired machines, where nobody has changed the files since. What commands did is not undone. */
      revert_files?: boolean;
    };
    response: Truncated;
  };
  /** See what removing everything after a message would do */
  'GET /api/v1/conversations/{id}/truncate-preview': {
    path: {
      id: string;
    };
    query: {
      message_id: string;
    };
    response: Truncated;
  };
  /** Answer a message again */
  'POST /api/v1/conversations/{id}/messages/{message_id}/regenerate': {
    path: {
      id: string;
      message_id: string;
    };
    header?: {
      'last-event-id'?: string;
      'idempotency-key'?: string;
    };
    events: StreamEvent;
  };
  /** Put another text in the place of a user's message */
  'POST /api/v1/conversations/{id}/messages/{message_id}/edit': {
    path: {
      id: string;
      message_id: string;
    };
    header?: {
      'last-event-id'?: string;
      'idempotency-key'?: string;
    };
    body: {
      content: string;
    };
    events: StreamEvent;
  };
  /** List the branches of a conversation, oldest first */
  'GET /api/v1/conversations/{id}/branches': {
    path: {
      id: string;
    };
    query?: {
      external_user_id?: string;
    };
    response: (Branch)[];
  };
  /** Choose the branch with which a conversation continues */
  'PATCH /api/v1/conversations/{id}/branches': {
    path: {
      id: string;
    };
    body: {
      branch_id: string;
    };
    response: {
      message: string;
    };
  };
  /** List approvals: pending ones, oldest first, or resolved ones */
  'GET /api/v1/hitl': {
    query?: {
      conversation_id?: string;
      status?: "pending" | "resolved";
      bot_id?: string;
      tool?: string;
      limit?: number;
      before?: string;
    };
    response: (ApprovalDetail)[];
  };
  /** Read an approval */
  'GET /api/v1/hitl/{id}': {
    path: {
      id: string;
    };
    response: ApprovalDetail;
  };
  /** Approve, approve with changes, or deny */
  'POST /api/v1/hitl/{id}/respond': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      action: "approve" | "approve_edited" | "deny";
      /** Why it is denied. The model receives this text. */
      text?: string;
      edited_args?: Record<string, unknown>;
      /** With `approve`: also allows what `grant_offer` says, in this `conversation` or on this `machine`, or, where `tool_grant_offered`, all calls of the tool by this `bot`; until it is revoked. */
      grant?: "conversation" | "machine" | "bot";
      /** With the grant `bot`: after so many seconds it ends by itself. */
      grant_expires_in?: number;
    };
    response: {
      id: string;
      status: "pending" | "approved" | "approved_edited" | "denied" | "cancelled" | "expired";
      /** The grant that was given with it. */
      grant_id?: string;
    };
  };
  /** Issue a token for a person, for use in a browser */
  'POST /api/v1/end-user-tokens': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      external_user_id: string;
      /** The token works with this bot only. Every bot if left out. */
      bot_id?: string;
      /** Seconds that the token is valid. */
      expires_in: number;
      max_messages_per_hour?: number;
      max_usd_per_day?: string;
    };
    response: EndUserToken;
  };
  /** End a person's sessions */
  'POST /api/v1/end-users/{external_user_id}/revoke': {
    path: {
      external_user_id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    response: {
      message: string;
    };
  };
  /** Download a person's data */
  'GET /api/v1/end-users/{external_user_id}/export': {
    path: {
      external_user_id: string;
    };
    query?: {
      workspace?: string;
    };
    response: unknown;
  };
  /** Run an agent now */
  'POST /api/v1/agents/{id}/trigger': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    body?: {
      /** Context for this run: appended to the goal under `Trigger payload:`. */
      payload?: string;
      /** In place of the agent's own limit; zero or less leaves it as it is. */
      max_iterations?: number;
    };
    response: TriggeredRun;
  };
  /** See what a schedule means and when it fires next */
  'POST /api/v1/schedules/preview': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      /** Five cron fields, with `TZ=Area/City` before them where it is not UTC. */
      schedule: string;
      /** The time zone of a schedule that names none itself, in place of UTC. */
      time_zone?: string;
    };
    response: SchedulePreview;
  };
  /** Read an agent's schedule and what became of its slots */
  'GET /api/v1/agents/{id}/schedule': {
    path: {
      id: string;
    };
    response: AgentSchedule;
  };
  /** List the runs of all agents, newest first */
  'GET /api/console/runs': {
    query?: {
      bot_id?: string;
      status?: "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached" | "skipped";
      trigger?: "api" | "schedule" | "console";
      limit?: number;
      before?: string;
    };
    response: (RunEntry)[];
  };
  /** Read what ran in a month and what is planned, day by day */
  'GET /api/console/runs/calendar': {
    query: {
      month: string;
      time_zone?: string;
      bot_id?: string;
    };
    response: RunCalendar;
  };
  /** List the agents with their next slot, their last slots and their run in progress */
  'GET /api/console/agents': {
    response: (AgentOverview)[];
  };
  /** Read grades, refusals and verdicts over time */
  'GET /api/console/quality': {
    query?: {
      bot_id?: string;
      days?: number;
    };
    response: QualityReport;
  };
  /** List single replies with their grade and verdict, newest first */
  'GET /api/console/quality/records': {
    query?: {
      bot_id?: string;
      refused?: boolean;
      unsupported?: boolean;
      before?: string;
      limit?: number;
    };
    response: (ReviewedReply)[];
  };
  /** List a bot's scenarios, in the order in which they are run */
  'GET /api/v1/bots/{id}/scenarios': {
    path: {
      id: string;
    };
    response: (Scenario)[];
  };
  /** Create a scenario */
  'POST /api/v1/bots/{id}/scenarios': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      name: string;
      /** The user's messages, one after another. */
      turns: (string)[];
      /** What must be true of the bot's answers, each in a sentence. Judged by the bot's own model. */
      expected_facts?: (string)[];
      /** Functions that the bot has to call. */
      must_call?: (string)[];
      /** Functions that the bot must not call. */
      must_not_call?: (string)[];
      /** Answers for calls: no tool acts in an evaluation. The first stand-in that matches answers. A call that none matches gets an error that says so, except calls of tools without effects (calculator, current_time). */
      stand_ins?: ({
        /** The name by which the model knows the function. */
        function: string;
        /** Answers only calls whose arguments have these values, whatever else they have. Left out: answers every call. */
        arguments?: Record<string, unknown>;
        /** What the model receives: a text, or any JSON. */
        result: unknown;
        /** The result is that of a failed call. */
        is_error?: boolean;
      })[];
    };
    response: {
      id: string;
    };
  };
  /** Change a scenario */
  'PUT /api/v1/bots/{id}/scenarios/{scenario_id}': {
    path: {
      id: string;
      scenario_id: string;
    };
    body: {
      name?: string;
      /** The user's messages, one after another. */
      turns?: (string)[];
      /** What must be true of the bot's answers, each in a sentence. Judged by the bot's own model. */
      expected_facts?: (string)[];
      /** Functions that the bot has to call. */
      must_call?: (string)[];
      /** Functions that the bot must not call. */
      must_not_call?: (string)[];
      /** Answers for calls: no tool acts in an evaluation. The first stand-in that matches answers. A call that none matches gets an error that says so, except calls of tools without effects (calculator, current_time). */
      stand_ins?: ({
        /** The name by which the model knows the function. */
        function: string;
        /** Answers only calls whose arguments have these values, whatever else they have. Left out: answers every call. */
        arguments?: Record<string, unknown>;
        /** What the model receives: a text, or any JSON. */
        result: unknown;
        /** The result is that of a failed call. */
        is_error?: boolean;
      })[];
    };
    response: {
      message: string;
    };
  };
  /** Delete a scenario */
  'DELETE /api/v1/bots/{id}/scenarios/{scenario_id}': {
    path: {
      id: string;
      scenario_id: string;
    };
    response: {
      message: string;
    };
  };
  /** Draft a scenario from a conversation */
  'POST /api/console/conversations/{id}/scenario': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    response: ScenarioDraft;
  };
  /** Run a bot's scenarios */
  'POST /api/v1/bots/{id}/evaluations': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    body?: {
      /** Left out: all of the bot's scenarios. */
      scenario_ids?: (string)[];
      /** A version of the bot's configuration to evaluate; left out: the current one. */
      version?: number;
    };
    response: {
      id: string;
      /** `completed`: every case was run, whatever its outcome. `failed`: it could not continue, `error` says why. */
      status: "running" | "completed" | "failed" | "stopped";
    };
  };
  /** List a bot's evaluations, newest first */
  'GET /api/v1/bots/{id}/evaluations': {
    path: {
      id: string;
    };
    query?: {
      limit?: number;
      before?: string;
    };
    response: (Evaluation)[];
  };
  /** Read an evaluation, case by case */
  'GET /api/v1/bots/{id}/evaluations/{evaluation_id}': {
    path: {
      id: string;
      evaluation_id: string;
    };
    response: EvaluationDetail;
  };
  /** Stop an evaluation */
  'POST /api/v1/bots/{id}/evaluations/{evaluation_id}/stop': {
    path: {
      id: string;
      evaluation_id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    response: {
      id: string;
      /** `completed`: every case was run, whatever its outcome. `failed`: it could not continue, `error` says why. */
      status: "running" | "completed" | "failed" | "stopped";
    };
  };
  /** List the bots that have widget keys, and where they were last used */
  'GET /api/console/widgets': {
    response: (WidgetSummary)[];
  };
  /** List a bot's widget keys, oldest first */
  'GET /api/v1/widgets/keys': {
    query: {
      bot_id: string;
    };
    response: (WidgetKey)[];
  };
  /** Create a widget key */
  'POST /api/v1/widgets/keys': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      bot_id: string;
      name: string;
      /** Pages of these hosts may use the key: `shop.example.com`, `localhost:5173`, or `*.example.com` for every subdomain. If it is empty, only the service's own pages may. */
      allowed_domains: (string)[];
      /** Messages per hour that all visitors together may send. 1,000 by default. */
      rate_limit_per_hour?: number;
      /** Messages per hour of one visitor. 60 by default. */
      visitor_messages_per_hour?: number;
      visitor_usd_per_day?: string | null;
    };
    response: WidgetKey;
  };
  /** Get a bot's test key */
  'POST /api/v1/widgets/test-key': {
    query: {
      bot_id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    response: WidgetKey;
  };
  /** Change a widget key */
  'PATCH /api/v1/widgets/keys/{id}': {
    path: {
      id: string;
    };
    body: {
      name?: string;
      /** Pages of these hosts may use the key: `shop.example.com`, `localhost:5173`, or `*.example.com` for every subdomain. If it is empty, only the service's own pages may. */
      allowed_domains?: (string)[];
      /** Messages per hour that all visitors together may send. 1,000 by default. */
      rate_limit_per_hour?: number;
      /** Messages per hour of one visitor. 60 by default. */
      visitor_messages_per_hour?: number;
      visitor_usd_per_day?: string | null;
    };
    response: WidgetKey;
  };
  /** Revoke a widget key */
  'DELETE /api/v1/widgets/keys/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** Create the identity secret of a widget key */
  'POST /api/v1/widgets/keys/{id}/identity-secret': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    response: IdentitySecret;
  };
  /** Remove the identity secret of a widget key */
  'DELETE /api/v1/widgets/keys/{id}/identity-secret': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** Read how a bot's widget looks */
  'GET /api/v1/widgets/customization': {
    query: {
      bot_id: string;
    };
    response: WidgetCustomization;
  };
  /** Change how a bot's widget looks */
  'PUT /api/v1/widgets/customization': {
    body: {
      bot_id: string;
      /** A CSS hex color: `#4f46e5` or `#45e`. */
      theme_color?: string;
      position?: "bottom-right" | "bottom-left" | "top-right" | "top-left";
      /** One line in the header. */
      greeting_text?: string;
      welcome_message?: string | null;
      avatar_url?: string | null;
      show_branding?: boolean;
      widget_title?: string | null;
      placeholder_text?: string;
      /** Visitors can talk to the bot with their microphone, where speech is set up for it. */
      voice_enabled?: boolean;
      /** Visitors can send images and PDFs with their messages. */
      attachments_enabled?: boolean;
      /** When visitors are asked for their name and email address before their first message. They can leave both empty. */
      ask_details?: "never" | "before_chat" | "outside_hours";
      office_hours?: {
        time_zone: string;
        /** A day can have several, or none. */
        opening_times: ({
          day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
          /** By the clock of the time zone. */
          opens: string;
          /** Later than `opens`, on the same day, at 24:00 at the latest: a night has two entries. */
          closes: string;
        })[];
        /** What visitors read outside of these times. */
        closed_text: string;
      } | null;
    };
    response: WidgetCustomization;
  };
  /** The HTML that puts the widget on a page */
  'GET /api/v1/widgets/embed-code': {
    query: {
      bot_id: string;
      api_key_id?: string;
    };
    response: EmbedCode;
  };
  /** How the widget of a page looks */
  'GET /api/widget/look': {
    query?: {
      language?: string;
    };
    response: WidgetLook;
  };
  /** Issue a token for a visitor */
  'POST /api/widget/token': {
    body: {
      /** From an earlier answer: the visitor stays the same. That of a user of the site works for 24 hours after the site has vouched for them. */
      renewal_token?: string;
      /** The site's own id of a signed-in user. */
      user_id?: string;
      /** HMAC-SHA256 of `user_id` with the key's identity secret, in hex. Required with `user_id`. With an expiry, in seconds since 1970: `<expiry>.<HMAC>`, where the HMAC is of `<HMAC of user_id in hex>.<expiry>`. */
      user_hash?: string;
    };
    response: VisitorToken;
  };
  /** Send a message and receive the reply as server-sent events */
  'POST /api/widget/messages': {
    header?: {
      'last-event-id'?: string;
      'idempotency-key'?: string;
    };
    body: {
      message: string;
      /** Continue this conversation. */
      conversation_id?: string;
      /** Start a new conversation. */
      new_conversation?: boolean;
      /** Files that were uploaded for this message, each of which can be sent once. */
      attachments?: (string)[];
      /** The visitor's message of this conversation in whose place this one begins a branch: with the same text, it is answered again. Needs `conversation_id`. */
      replaces?: string;
    };
    events: EndUserStreamEvent;
  };
  /** Say who the visitor is and where they are */
  'POST /api/widget/visitor': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      name?: string;
      email?: string;
      /** An address of the site that sends it. Its query and fragment are not stored. */
      page_url?: string;
      page_title?: string;
    };
    response: {
      message: string;
    };
  };
  /** Upload a file for a message */
  'POST /api/widget/attachments': {
    header?: {
      'idempotency-key'?: string;
    };
    body: FormData;
    response: Attachment;
  };
  /** Follow a conversation as server-sent events */
  'GET /api/widget/stream': {
    query: {
      conversation_id: string;
      after?: number;
    };
    header?: {
      'last-event-id'?: string;
    };
    events: EndUserStreamEvent;
  };
  /** List the visitor's conversations */
  'GET /api/widget/conversations': {
    response: (EndUserConversation)[];
  };
  /** Get a conversation with its messages */
  'GET /api/widget/conversations/{id}': {
    path: {
      id: string;
    };
    response: EndUserConversationDetail;
  };
  /** List the branches of a conversation, oldest first */
  'GET /api/widget/branches': {
    query: {
      conversation_id: string;
    };
    response: (Branch)[];
  };
  /** Choose the branch with which a conversation continues */
  'POST /api/widget/branches': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      conversation_id: string;
      branch_id: string;
    };
    response: {
      message: string;
    };
  };
  /** Interrupt the turn of a conversation */
  'POST /api/widget/stop': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      conversation_id: string;
    };
    response: {
      /** Whether a running or paused turn was interrupted. */
      stopped: boolean;
    };
  };
  /** Rate an answer of the bot */
  'POST /api/widget/rating': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      conversation_id: string;
      message_id: string;
      rating: "up" | "down" | null;
      /** What was wrong, with the rating `down` only. Another rating removes it. */
      comment?: string;
    };
    response: {
      message: string;
    };
  };
  /** Read how long data is kept */
  'GET /api/v1/retention': {
    response: Retention;
  };
  /** Set how long data is kept */
  'PUT /api/v1/retention': {
    body: {
      conversations_days: number | null;
      traces_days: number | null;
      events_days: number | null;
      recordings_days: number | null;
      audit_days: number | null;
    };
    response: Retention;
  };
  /** See what would be deleted */
  'POST /api/v1/retention/preview': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      conversations_days?: number | null;
      traces_days?: number | null;
      events_days?: number | null;
      recordings_days?: number | null;
      audit_days?: number | null;
    };
    response: RetentionPreview;
  };
  /** Read who is signed in to the console */
  'GET /api/console/session': {
    response: ConsoleSession;
  };
  /** Sign in to the console */
  'POST /api/console/sign-in': {
    body: {
      email: string;
      password: string;
    };
    response: {
      message: string;
    };
  };
  /** Sign out of the console */
  'POST /api/console/sign-out': {
    response: {
      message: string;
    };
  };
  /** Create the first account with the set-up link, and sign in */
  'POST /api/console/setup': {
    body: {
      /** From the link. */
      token: string;
      name: string;
      email: string;
      password: string;
      workspace_name?: string;
    };
    response: {
      message: string;
    };
  };
  /** Set a new password with a link, and sign in */
  'POST /api/console/reset': {
    body: {
      /** From the link. */
      token: string;
      password: string;
    };
    response: {
      message: string;
    };
  };
  /** Change your name or password */
  'PATCH /api/console/profile': {
    body: {
      name?: string;
      password?: string;
      /** Required with a new password. */
      current_password?: string;
    };
    response: {
      message: string;
    };
  };
  /** List the members of the workspace, oldest first */
  'GET /api/console/members': {
    response: (Member)[];
  };
  /** List what a member has made, and what is revoked with their role */
  'GET /api/console/members/{id}/holdings': {
    path: {
      id: string;
    };
    query?: {
      role?: "viewer" | "operator" | "owner";
    };
    response: (MemberHolding)[];
  };
  /** Change the role of a member */
  'PATCH /api/console/members/{id}': {
    path: {
      id: string;
    };
    body: {
      /** `viewer` reads. `operator` also answers, runs and changes bots, tools and knowledge. `owner` also manages members, keys and the workspace. */
      role: "viewer" | "operator" | "owner";
    };
    response: Member;
  };
  /** Remove a member, or leave the workspace */
  'DELETE /api/console/members/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** Rename the workspace */
  'PATCH /api/console/workspace': {
    body: {
      name: string;
    };
    response: ConsoleWorkspace;
  };
  /** Create another workspace, with you as its owner */
  'POST /api/console/workspaces': {
    body: {
      name: string;
    };
    response: ConsoleWorkspace;
  };
  /** List the invitations that nobody has accepted yet */
  'GET /api/console/invitations': {
    response: (Invitation)[];
  };
  /** Create an invitation link */
  'POST /api/console/invitations': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      /** `viewer` reads. `operator` also answers, runs and changes bots, tools and knowledge. `owner` also manages members, keys and the workspace. */
      role: "viewer" | "operator" | "owner";
      /** Only this person can accept it. Without it, whoever opens the link must confirm an address by mail, so the service needs a mail server. */
      email?: string;
    };
    response: NewInvitation;
  };
  /** Revoke an invitation */
  'DELETE /api/console/invitations/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** Read what an invitation link invites to */
  'POST /api/console/invitation': {
    body: {
      /** From the link. */
      token: string;
    };
    response: {
      workspace_name: string;
      /** `viewer` reads. `operator` also answers, runs and changes bots, tools and knowledge. `owner` also manages members, keys and the workspace. */
      role: "viewer" | "operator" | "owner";
      email: string | null;
    };
  };
  /** Send an open invitation to an address, which confirms it */
  'POST /api/console/invitation/confirm': {
    body: {
      /** From the link. */
      token: string;
      email: string;
    };
    response: {
      message: string;
    };
  };
  /** Accept an invitation, with a new account or as the person who is signed in */
  'POST /api/console/invitation/accept': {
    body: {
      /** From the link. */
      token: string;
      name?: string;
      email?: string;
      password?: string;
    };
    response: {
      workspace_id: string;
    };
  };
  /** List all phone numbers */
  'GET /api/v1/voice/numbers': {
    query?: {
      'metadata.<key>'?: string;
    };
    response: (VoiceNumber)[];
  };
  /** Let a bot answer a phone number */
  'POST /api/v1/voice/numbers': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      /** In international form; on a SIP trunk, as the trunk names it. */
      phone_number: string;
      bot_id: string;
      greeting?: string | null;
      tts_voice?: string | null;
      /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
      metadata?: Record<string, string>;
      /** Whether people can be called from this number, on a SIP trunk; default false. Other transports find it out. */
      outbound_capable?: boolean;
    };
    response: {
      id: string;
    };
  };
  /** Read a phone number */
  'GET /api/v1/voice/numbers/{id}': {
    path: {
      id: string;
    };
    response: VoiceNumber;
  };
  /** Change a phone number */
  'PUT /api/v1/voice/numbers/{id}': {
    path: {
      id: string;
    };
    body: {
      bot_id?: string;
      greeting?: string | null;
      tts_voice?: string | null;
      /** The caller's own data: string values, at most 8,192 bytes as compact JSON. */
      metadata?: Record<string, string>;
      /** Makes it the number that the bot calls from, in place of its other one. A number that moves to another bot keeps the mark unless that bot has a primary number. */
      is_outbound_primary?: boolean;
    };
    response: {
      message: string;
    };
  };
  /** Remove a phone number */
  'DELETE /api/v1/voice/numbers/{id}': {
    path: {
      id: string;
    };
    response: {
      message: string;
    };
  };
  /** Replace a number's metadata */
  'PATCH /api/v1/voice/numbers/{id}/metadata': {
    path: {
      id: string;
    };
    body: Record<string, string>;
    response: {
      message: string;
    };
  };
  /** Call somebody */
  'POST /api/v1/calls': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      /** The bot that talks. */
      bot_id: string;
      /** The number to call, in international form. */
      to_number: string;
    };
    response: {
      success: true;
      data: {
        /** Also the id of its conversation. */
        call_id: string;
      };
      message: string;
    };
  };
  /** End a call */
  'POST /api/v1/calls/{id}/end': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    response: {
      success: true;
      data: {
        /** Also the id of its conversation. */
        call_id: string;
      };
      message: string;
    };
  };
  /** Begin a call from a browser */
  'POST /api/widget/voice/sessions': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {

    };
    response: VoiceSession;
  };
  /** How long the visitor's call has lasted */
  'GET /api/widget/voice/usage': {
    query: {
      session_token: string;
    };
    response: VisitorVoiceUsage;
  };
  /** What a call from a browser has used */
  'GET /api/v1/voice/usage': {
    query: {
      session_token: string;
    };
    response: VoiceUsage;
  };
  /** List the voices that bots can speak with */
  'GET /api/v1/voice/catalog': {
    response: {
      voices: ({
        /** For `tts_voice`: the provider and its own id of the voice. */
        id: string;
        name: string;
        language: string | null;
        gender: string | null;
      })[];
    };
  };
  /** Is the process alive? */
  'GET /healthz': {
    response: {
      status: "ok";
    };
  };
  /** Can it serve? */
  'GET /readyz': {
    response: {
      status: "ok";
      /** For operators: what is restricted at the moment, and why. */
      notes?: (string)[];
    };
  };
  /** Read what the installation consists of */
  'GET /api/console/system': {
    response: SystemReport;
  };
  /** Read how busy the installation is */
  'GET /api/console/system/figures': {
    response: SystemFigures;
  };
  /** List which bots use each tool, and when its secrets were set */
  'GET /api/console/tools/uses': {
    query?: {
      tool_id?: string;
    };
    response: (ToolUse)[];
  };
  /** Run a tool that is not saved once, for real */
  'POST /api/console/tools/test': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      tool_type: string;
      name?: string;
      description?: string;
      /** Fits the type's configuration_schema. Secret fields are written here and never returned. */
      configuration: Record<string, unknown>;
      /** The stored tool that this changes. Its secrets are used where none are sent, but only for the address they were given for. */
      tool_id?: string;
      parameters?: Record<string, unknown>;
    };
    response: ToolTestResult;
  };
  /** List the functions that a model would get from a tool that is not saved */
  'POST /api/console/tools/functions': {
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      tool_type: string;
      name?: string;
      description?: string;
      /** Fits the type's configuration_schema. Secret fields are written here and never returned. */
      configuration: Record<string, unknown>;
      /** The stored tool that this changes. Its secrets are used where none are sent, but only for the address they were given for. */
      tool_id?: string;
    };
    response: (OfferedFunction)[];
  };
  /** What waits for a person, what is running, and what went wrong */
  'GET /api/console/overview': {
    response: Overview;
  };
  /** Count what waits for a person */
  'GET /api/console/waiting': {
    response: {
      approvals: number;
      /** Conversations whose user waits for a person; 500 stands for more. */
      handoffs: number;
    };
  };
  /** Find out what an id belongs to */
  'GET /api/console/find': {
    query: {
      id: string;
    };
    response: FoundObject;
  };
  /** Search conversations, those with the latest messages first */
  'GET /api/console/conversations': {
    query?: {
      q?: string;
      bot_id?: string;
      channel?: "chat" | "widget" | "agent" | "voice" | "evaluation" | "test";
      external_user_id?: string;
      status?: "idle" | "running" | "paused" | "completed" | "failed" | "timed_out" | "interrupted" | "max_iterations_reached" | "queued" | "ringing" | "in_progress" | "no_answer" | "busy" | "ended_by_limit";
      needs_human?: boolean;
      waits?: true;
      assignee?: string | "none";
      state?: "open" | "snoozed" | "resolved";
      rating?: "up" | "down";
      label?: string;
      from?: string;
      to?: string;
      limit?: number;
      before?: string;
      workspace?: string;
    };
    response: (ListedConversation)[];
  };
  /** Read a conversation with its turns, calls, approvals and costs */
  'GET /api/console/conversations/{id}': {
    path: {
      id: string;
    };
    query?: {
      branch_id?: string;
    };
    response: ConsoleConversation;
  };
  /** Read the steps of one turn with their costs */
  'GET /api/console/conversations/{id}/trace': {
    path: {
      id: string;
    };
    query?: {
      turn_id?: string;
    };
    response: ConsoleTrace;
  };
  /** Note that the member has opened a conversation */
  'POST /api/console/conversations/{id}/seen': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    response: {
      message: string;
    };
  };
  /** List all bots, and how much they are used */
  'GET /api/console/bots': {
    response: (ConsoleBot)[];
  };
  /** Read a bot, and how much it is used */
  'GET /api/console/bots/{id}': {
    path: {
      id: string;
    };
    response: ConsoleBot;
  };
  /** Save the fields and tools of a bot as one version */
  'PUT /api/console/bots/{id}': {
    path: {
      id: string;
    };
    body: {
      /** The version that the change was made from. 409 BOT_CHANGED if there is a newer one. */
      version: number;
      /** What would be saved, as `PUT /api/v1/bots/{id}` takes it. Errors name the same fields. */
      fields: Record<string, unknown>;
      /** As `POST /api/v1/tools/assign` takes them; left out: those that the bot has. */
      tools?: ({
        tool_type: string;
        tool_configuration_id?: string | null;
        tool_instructions?: string;
        speak_during_execution?: boolean;
        speak_after_execution?: boolean;
        /** `passthrough` shows the error to the model and the readers, `hide` only that the tool failed; the trace has the cause. */
        tool_error_handling_mode?: "passthrough" | "hide";
      })[];
    };
    response: {
      /** The version that answers now. */
      version: number;
    };
  };
  /** Suggest what to ask a bot, from its knowledge */
  'GET /api/console/bots/{id}/questions': {
    path: {
      id: string;
    };
    response: BotQuestions;
  };
  /** Keep an unsaved configuration of a bot for tests */
  'POST /api/console/bots/{id}/drafts': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    body: {
      /** What would be saved, as `PUT /api/v1/bots/{id}` takes it. Errors name the same fields. */
      fields: Record<string, unknown>;
      /** As `POST /api/v1/tools/assign` takes them; left out: those that the bot has. */
      tools?: ({
        tool_type: string;
        tool_configuration_id?: string | null;
        tool_instructions?: string;
        speak_during_execution?: boolean;
        speak_after_execution?: boolean;
        /** `passthrough` shows the error to the model and the readers, `hide` only that the tool failed; the trace has the cause. */
        tool_error_handling_mode?: "passthrough" | "hide";
      })[];
    };
    response: {
      /** Below zero. An equal draft has the same number. */
      version: number;
    };
  };
  /** Send a message to a draft of a bot and receive the reply as server-sent events */
  'POST /api/console/bots/{id}/test': {
    path: {
      id: string;
    };
    header?: {
      'last-event-id'?: string;
      'idempotency-key'?: string;
    };
    body: {
      message: string;
      /** The number of the draft. */
      draft: number;
      /** A test conversation of the same person to continue. */
      conversation_id?: string;
    };
    events: StreamEvent;
  };
  /** List the models that bots can use, with their prices */
  'GET /api/console/models': {
    response: ConsoleModels;
  };
  /** Read what of voice is set up */
  'GET /api/console/voice': {
    response: VoiceReport;
  };
  /** End a call */
  'POST /api/console/voice/calls/{id}/end': {
    path: {
      id: string;
    };
    header?: {
      'idempotency-key'?: string;
    };
    response: {
      message: string;
    };
  };
}
