import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VARIANTS } from "../house/every-variant.ts";
import { openService } from "../support/service.ts";
import { live } from "./life.ts";

/*
 *   bun test/releases/write.ts
 *
 * Part of a release: keeps, for every interface version, a data directory as this release writes it, with what the service answered from it.
 * test/e2e/releases.test.ts opens them all with every later release.
 */

const { version } = (await Bun.file(new URL("../../package.json", import.meta.url)).json()) as { version: string };
for (const variant of VARIANTS) {
	const folder = await mkdtemp(join(tmpdir(), "svc-release-"));
	const service = await openService({ SVC_DATA_DIR: join(folder, "data"), SVC_VARIANT: variant });
	const lived = await live(service, variant === "legacy");
	await service.close();
	await Bun.write(join(folder, "life.json"), JSON.stringify(lived, undefined, "\t"));
	const archive = new URL(`${version}-${variant}.tar.gz`, import.meta.url).pathname;
	const tar = Bun.spawnSync(["tar", "-czf", archive, "-C", folder, "data", "life.json"]);
	if (!tar.success) throw new Error(tar.stderr.toString());
	await rm(folder, { recursive: true });
	process.stdout.write(`${archive}\n`);
}
