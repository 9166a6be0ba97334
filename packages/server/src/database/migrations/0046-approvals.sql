-- Tools that change something ask first unless their configuration says otherwise. Those that exist keep what they did.
update tools set configuration = configuration || '{"approval": "never"}'
where configuration ->> 'approval' is null
  and (tool_type in ('mcp', 'send_email')
    or (tool_type = 'http_request' and coalesce(configuration ->> 'method', 'GET') not in ('GET', 'HEAD')));

-- The tool as it was when somebody who may answer approvals let the hook run it unasked. A hook that was saved after the last
-- change of its tool has been checked with that tool.
alter table post_call_hooks add column confirmed_configuration jsonb;
update post_call_hooks h set confirmed_configuration = t.configuration
from tools t
where t.id = h.tool_configuration_id and t.workspace_id = h.workspace_id and h.updated_at >= t.updated_at;

-- Whether the tool lets people change the arguments by the link of a notice.
alter table approvals add column link_edit boolean not null default false;
