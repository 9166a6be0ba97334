/** Bundles the service of the checkout that is named, with its own code, and prints the folder as the last line. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [checkout = ''] = process.argv.slice(2);
const file = join(checkout, 'packages/server/test/support/bundle-service.ts');
const { bundleService } = (await import(pathToFileURL(file).href)) as { bundleService(): Promise<string> };
console.log(await bundleService());
