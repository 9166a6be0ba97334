import { expect, it } from 'vitest';
import { resolvedIn } from '../support/refund-shop.ts';
import { useRefundDesk } from './use-refund-desk.ts';

const place = useRefundDesk();
const { desk } = place;
const approval_title = 'Refund {{amount}} on order {{order}}';

it('say what a call would do, and what was sent once a person has changed it', async () => {
  const bot = await desk.makeBot({}, { approval_title });
  const turn = await desk.pause(bot);
  const asked = turn.events.find(({ event }) => event === 'approval.requested')?.data.approval;
  expect(asked.title).toBe('Refund 12.5 on order 17');
  const [id = ''] = turn.approvalIds;
  expect((await place.service.call(`GET /api/v1/hitl/${id}`)).body.title).toBe('Refund 12.5 on order 17');
  await desk.respond(id, { action: 'approve_edited', edited_args: { order: 17, amount: 5 } });
  expect(resolvedIn(await desk.ending(turn))).toMatchObject([{ id, title: 'Refund 5 on order 17' }]);
});

it('name parameters of their tool and no others', async () => {
  const { toolId } = await desk.makeBot();
  const { body: tool } = await place.service.call(`GET /api/v1/tools/${toolId}`);
  const save = (title: string) =>
    place.service.call(`PUT /api/v1/tools/${toolId}`, {
      body: { configuration: { ...tool.configuration, approval_title: title } },
    });
  expect(await save(approval_title)).toMatchObject({ status: 200 });
  const path = 'configuration.approval_title';
  expect(await save('Refund {{total}}')).toMatchObject({ status: 400, body: { details: [{ path }] } });
  expect(await save('Refund {{amount | money}}')).toMatchObject({
    status: 400,
    body: { details: [{ path }] },
  });
});
