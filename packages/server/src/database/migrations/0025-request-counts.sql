-- Requests within a window, counted by all nodes where there is no Redis. Not logged: a crash of PostgreSQL starts every window again.
create unlogged table request_counts (
  name text primary key,
  count integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);

-- Admits as many requests of each group as all of its quotas allow, and counts them against each of its quotas. A group of
-- `sizes` requests has the next `quota_counts` of the quotas, the narrowest first. All nodes pass the groups in the same order, by
-- their widest quota, and rows are locked in that order, so that two nodes never wait for each other.
create function count_requests(
  sizes integer[], quota_counts integer[], names text[], limits integer[], window_seconds integer[]
) returns table (admitted integer, counts integer[], milliseconds integer[])
language plpgsql set lock_timeout = '2s' as $$
declare
  start integer := 0;
  stored request_counts;
  ends timestamptz[] := '{}';
  moment timestamptz;
  length interval;
begin
  for entry in 1 .. cardinality(sizes) loop
    counts := array_fill(0, array[quota_counts[entry]]);
    milliseconds := counts;
    for quota in reverse quota_counts[entry] .. 1 loop
      loop
        select * into stored from request_counts where name = names[start + quota] for update;
        exit when found;
        insert into request_counts values (names[start + quota], 0, clock_timestamp()) on conflict do nothing;
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
        update request_counts r set count = counts[quota], ends_at = ends[quota] where r.name = names[start + quota];
      end loop;
    end if;
    start := start + quota_counts[entry];
    return next;
  end loop;
end
$$;
