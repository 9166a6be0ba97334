import type { OperationName } from '@svc/contract/machine-protocol';
import { createLane, type Lane } from './lane.ts';

/** What waits for what: a slow operation holds up only its own kind. */
export function createLanes(): (name: OperationName) => Lane {
  /** Changes must not overlap. */
  const changes = createLane({ concurrency: 1, maxWaiting: 100 });
  /** A turn sends its next command when it has the result of the one before, so these are of different turns. */
  const commands = createLane({ concurrency: 8, maxWaiting: 100 });
  /** These take patterns from models, which can be slow to match. */
  const searches = createLane({ concurrency: 4, maxWaiting: 200 });
  /** These wait for output, or for processes to end. */
  const processes = createLane({ concurrency: 16, maxWaiting: 100 });
  const reads = createLane({ concurrency: 8, maxWaiting: 200 });

  const lanes: Record<OperationName, Lane> = {
    check_workdir: reads,
    describe_project: searches,
    read_file: reads,
    preview: reads,
    list_files: searches,
    search: searches,
    write_file: changes,
    edit_file: changes,
    apply_patch: changes,
    revert: changes,
    run_command: commands,
    start_process: commands,
    read_process: processes,
    stop_process: processes,
  };
  return (name) => lanes[name];
}
