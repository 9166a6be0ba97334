import { expect, it } from 'vitest';
import { ContinuesElsewhere } from '../../continues-elsewhere.ts';
import { createWorkdirCheck } from './check-workdir.ts';

it('a request that waits for a machine when its node stops can be sent again', async () => {
  const perform = () => Promise.reject(new ContinuesElsewhere('This node stops.'));
  const check = createWorkdirCheck({ perform }, 0);
  await expect(check('workspace', 'machine', '/project')).rejects.toMatchObject({ code: 'NOT_READY' });
});
