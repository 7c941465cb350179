/* Makes the pictures of docs/reference/transforms.md: bun test/gallery/transforms.ts */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { removeData, startProcess } from "../support/process.ts";
import { transformPictures } from "./transform-pictures.ts";

const folder = new URL("../../docs/reference/pictures/", import.meta.url);
const server = await startProcess();
await server.ready();
const apiKey = /svc_sk_test_\w+/.exec(server.stdout())?.[0] ?? "";
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const [name, picture] of await transformPictures(server.baseUrl, apiKey)) {
	await writeFile(new URL(`${name}.webp`, folder), picture);
}
await server.stop();
await removeData(server.dataDir);
