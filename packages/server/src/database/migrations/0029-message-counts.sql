-- Messages of end users within an hour, counted by all nodes. Logged, unlike request_counts: no restart or crash starts a window again.
create table message_counts (
  name text primary key,
  count integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);

-- The same as count_requests, for messages: PostgreSQL functions cannot take a table as an argument without planning each statement
-- anew.
create function count_messages(
  sizes integer[], quota_counts integer[], names text[], limits integer[], window_seconds integer[]
) returns table (admitted integer, counts integer[], milliseconds integer[])
language plpgsql set lock_timeout = '2s' as $$
declare
  start integer := 0;
  stored message_counts;
  ends timestamptz[] := '{}';
  moment timestamptz;
  length interval;
begin
  for entry in 1 .. cardinality(sizes) loop
    counts := array_fill(0, array[quota_counts[entry]]);
    milliseconds := counts;
    for quota in reverse quota_counts[entry] .. 1 loop
      loop
        select * into stored from message_counts where name = names[start + quota] for update;
        exit when found;
        insert into message_counts values (names[start + quota], 0, clock_timestamp()) on conflict do nothing;
      end loop;
      counts[quota] := stored.count;
      ends[quota] := stored.ends_at;
    end loop;
    admitted := sizes[entry];
    moment := clock_timestamp();
    for quota in 1 .. quota_counts[entry] loop
      length := window_seconds[start + quota] * interval '1 second';
      -- More time left than a whole window means that the clock was set back.
      if ends[quota] <= moment or ends[quota] > moment + length then
        counts[quota] := 0;
        ends[quota] := moment + length;
      end if;
      milliseconds[quota] := ceil(extract(epoch from ends[quota] - moment) * 1000);
      admitted := greatest(0, least(admitted, limits[start + quota] - counts[quota]));
    end loop;
    if admitted > 0 then
      for quota in 1 .. quota_counts[entry] loop
        counts[quota] := counts[quota] + admitted;
        update message_counts m set count = counts[quota], ends_at = ends[quota] where m.name = names[start + quota];
      end loop;
    end if;
    start := start + quota_counts[entry];
    return next;
  end loop;
end
$$;

-- What one user has cost within a day is read for each message of a user with a limit.
create index usage_records_user on usage_records (workspace_id, external_user_id, created_at)
  where external_user_id is not null;
