import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/* ZIP files read by another implementation than the service's own: python's. */

export const HAS_PYTHON = Bun.which("python3") !== null;

const READ = `
import base64, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    print(json.dumps({i.filename: base64.b64encode(z.read(i)).decode() for i in z.infolist()}))
`;

/** The files in it, by their names; fails for one that is not whole. */
export async function readZip(bytes: Uint8Array | ArrayBuffer): Promise<ReadonlyMap<string, Uint8Array>> {
	const folder = await mkdtemp(join(tmpdir(), "svc-zip-"));
	try {
		const path = join(folder, "read.zip");
		await Bun.write(path, new Uint8Array(bytes));
		const python = Bun.spawn(["python3", "-c", READ, path], { stderr: "inherit" });
		const text = await new Response(python.stdout).text();
		if ((await python.exited) !== 0) throw new Error("python finds no whole ZIP file");
		const files = Object.entries(JSON.parse(text) as Record<string, string>);
		return new Map(files.map(([name, base64]) => [name, Buffer.from(base64, "base64")]));
	} finally {
		await rm(folder, { recursive: true });
	}
}
