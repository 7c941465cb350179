/* Makes the pictures of docs/reference/transforms.md, there or in another folder: bun test/gallery/transforms.ts [<folder>] */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeData, startProcess } from "../support/process.ts";
import { transformPictures } from "./transform-pictures.ts";

const folder = process.argv[2] ?? join(import.meta.dirname, "../../docs/reference/pictures");
const server = await startProcess();
await server.ready();
const apiKey = /svc_sk_test_\w+/.exec(server.stdout())?.[0] ?? "";
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const [name, picture] of await transformPictures(server.baseUrl, apiKey)) {
	await writeFile(join(folder, `${name}.webp`), picture);
}
await server.stop();
await removeData(server.dataDir);
