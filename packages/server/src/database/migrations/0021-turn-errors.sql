-- Why a turn failed, as { code, message }. Null for every other turn, and for turns that failed before this column existed.
-- json, as in runs: jsonb refuses \u0000, and a turn must be able to end whatever its error says.
alter table turns add column error json;
