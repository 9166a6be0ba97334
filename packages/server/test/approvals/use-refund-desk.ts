import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { type RefundDesk, refundDesk, type Shop, startShop } from '../support/refund-shop.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/test-app.ts';

/** What the tests of a file share. Only `desk` may be destructured before they run. */
export interface RefundPlace {
  readonly service: TestApp;
  readonly shop: Shop;
  readonly scripted: ScriptedModel;
  readonly desk: RefundDesk;
}

/** Gives the tests of a file a service with a shop and a model; before each, both forget their requests. */
export function useRefundDesk(options: Pick<TestAppOptions, 'clock'> = {}): RefundPlace {
  let service: TestApp;
  let shop: Shop;
  let scripted: ScriptedModel;
  beforeAll(async () => {
    scripted = await startScriptedModel();
    shop = await startShop();
    const environment = { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' };
    service = await startTestApp({ ...options, environment });
  });
  afterAll(async () => {
    await service.stop();
    await scripted.close();
    shop.close();
  });
  beforeEach(() => {
    scripted.reset();
    shop.refunds.length = 0;
  });
  return {
    get service() {
      return service;
    },
    get shop() {
      return shop;
    },
    get scripted() {
      return scripted;
    },
    desk: refundDesk(
      () => service,
      () => shop,
      () => scripted,
    ),
  };
}
