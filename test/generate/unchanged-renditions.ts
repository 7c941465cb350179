/* Writes down what addresses are answered today: SVC_TEST_CORPUS=<folder> bun test/generate/unchanged-renditions.ts
   Only where a change says that renditions may change: caches and browsers hold those that are written down now. */
import { writeFile } from "node:fs/promises";
import { openService } from "../support/service.ts";
import { addresses, answersOf, codecs, type Kept } from "../support/unchanged-renditions.ts";

const service = await openService();
const kept: Kept = { codecs: await codecs(), answers: await answersOf(service, addresses(true)) };
const path = new URL("../http/transform-host/unchanged-renditions.json", import.meta.url);
await writeFile(path, `${JSON.stringify(kept, null, "\t")}\n`);
await service.close();
process.exit();
