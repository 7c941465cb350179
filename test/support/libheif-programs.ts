import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { concat, latin1, viewOf } from "@svc/imaging/bytes";
import { cicp, pngWith } from "./said-colours.ts";

/* Debian's own programs of libheif, of another release than ours, with another decoder: what they make of a HEIC is what it shows. */

const run = promisify(execFile);
const isThere =
	existsSync("/usr/bin/heif-convert") &&
	existsSync("/usr/bin/heif-enc") &&
	execFileSync("heif-enc", ["--list-encoders"]).includes("x265");

/** For the titles of tests that need them: a run without them says so. */
export const libheifNote = isThere ? "" : " (without HEIC: no heif-convert)";

/** True where pictures in HEIC must be left out. With CI set, missing programs fail instead. */
export const withoutLibheif = !isThere && process.env.CI !== "true";

const BT709 = [1, 13] as const;

/** A picture as HEIC, by numbers in other colours than sRGB where those are given (ITU-T H.273). */
export async function heicOf(
	png: Uint8Array,
	points: readonly [number, number] | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
	const [primaries, transfer] = points ?? BT709;
	const said = [`--colour_primaries=${primaries}`, `--transfer_characteristic=${transfer}`, "--matrix_coefficients=6"];
	return await inFolder(async (folder) => {
		await writeFile(join(folder, "a.png"), png);
		await run("heif-enc", [
			"-q",
			"95",
			"-p",
			"chroma=444",
			...said,
			"-o",
			join(folder, "a.heic"),
			join(folder, "a.png"),
		]);
		return new Uint8Array(await readFile(join(folder, "a.heic")));
	});
}

/** The pixels of a HEIC as a PNG. Those programs leave colours by numbers as they are: the PNG says the same numbers, for a browser to read them. */
export async function shownByLibheif(heic: Uint8Array): Promise<Uint8Array<ArrayBuffer> | undefined> {
	const png = await inFolder(async (folder) => {
		await writeFile(join(folder, "a.heic"), heic);
		await run("heif-convert", [join(folder, "a.heic"), join(folder, "a.png")]);
		return withoutExif(new Uint8Array(await readFile(join(folder, "a.png"))));
	});
	const text = latin1(heic.subarray(0, 65_536));
	const at = text.includes("colrprof") ? -1 : text.indexOf("colrnclx");
	if (at < 0) return png;
	const view = viewOf(heic);
	return pngWith(png, cicp(view.getUint16(at + 8), view.getUint16(at + 10)));
}

/** The pixels are upright, and what is said of the camera's is written beside them all the same. */
function withoutExif(png: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
	const view = viewOf(png);
	const kept: Uint8Array[] = [png.subarray(0, 8)];
	for (let at = 8; at < png.length; ) {
		const end = at + 12 + view.getUint32(at);
		if (latin1(png.subarray(at + 4, at + 8)) !== "eXIf") kept.push(png.subarray(at, end));
		at = end;
	}
	return concat(kept);
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
	const folder = await mkdtemp(join(tmpdir(), "svc-heif-"));
	try {
		return await work(folder);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
