-- What was spent outlives what it was spent on, and says for whom. Money can be set aside for what is no turn.

alter table usage_records
  -- usage stays when its conversation goes
  drop constraint usage_records_conversation_id_fkey,
  -- null: nobody knew what the model costs
  alter column cost_usd drop not null,
  add column bot_id uuid,
  add column external_user_id text;

update usage_records u set bot_id = c.bot_id, external_user_id = c.external_user_id
from conversations c where c.id = u.conversation_id;

-- A price that nobody knew was written as no cost at all.
update usage_records set cost_usd = null
where cost_usd = 0 and input_tokens + output_tokens > 0 and model not like 'builtin/%';

-- Money set aside for a model call outside a turn. It goes with the call; if its node dies, or it was forgotten, a sweep
-- gives it back.
create table billing_reservations (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  node_id uuid not null,
  amount_usd numeric(20, 9) not null,
  expires_at timestamptz not null
);
