import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type Moderated, startModerated } from "./moderated.ts";

/* Names in scripts of which programs and terminals count some signs otherwise, on the screen of tmux, which counts as the system does. */

const PICTURE = await plain(4, 3);
const MAIN = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const LOOKS = 800;
const TMUX = Bun.which("tmux");
const tmuxNote = TMUX ? "" : " (SKIPPED: no tmux on the PATH)";

const NAMES = [
	...[
		"plain.png",
		"日本語の写真.png",
		"ﾊﾞﾝ.png",
		"👩‍👩‍👧🏴󠁧󠁢󠁳󠁣󠁴󠁿.png",
		"می‌خواهم.png",
		"e\u0301\u0327.png",
		"བོད་ཡིག.png",
		"ភាសាខ្មែរ.png",
	],
	...[
		"각\u1161\u11a8\u1100.png",
		"বাংলা ক্ষ.png",
		"തമിഴ് ക്ഷ.png",
		"မြန်မာ က္က.png",
		"ຄຳນ້ຳ.png",
		"क्षत्रिय हिन्दी.png",
		"น้ำกำลังใจ.png",
		"กำ.png",
	],
];

/** The screen of the dashboard once it shows a text, and how many cells tmux counts in each of its lines. */
async function screenWith(profile: string, columns: number, rows: number, wanted: string) {
	const socket = `svc-${process.pid}-${crypto.randomUUID()}`;
	const tmux = async (...words: readonly string[]) => {
		const ran = Bun.spawn([TMUX ?? "", "-u", "-L", socket, "-f", "/dev/null", ...words], {
			stdout: "pipe",
			stderr: "pipe",
		});
		return await new Response(ran.stdout).text();
	};
	const env = ["-e", `SVC_PROFILE_FILE=${profile}`, "-e", "LC_ALL=C.UTF-8"];
	const size = ["-x", `${columns}`, "-y", `${rows}`];
	await tmux("new-session", "-d", ...size, ...env, `${process.execPath} ${MAIN} tui --screen images`);
	try {
		let lines: string[] = [];
		for (let look = 0; !lines.some((line) => line.includes(wanted)); look++) {
			if (look > LOOKS) throw new Error(lines.join("\n"));
			await Bun.sleep(50);
			lines = (await tmux("capture-pane", "-p")).split("\n").slice(0, rows);
		}
		const cells: number[] = [];
		for (const line of lines) {
			await tmux("set-option", "-g", "@line", line);
			cells.push(Number(await tmux("display-message", "-p", "#{w:@line}")));
		}
		return { lines, cells };
	} finally {
		await tmux("kill-server");
	}
}

describe.skipIf(TMUX === null)(`names of all scripts in tmux${tmuxNote}`, () => {
	let plainWorld: Moderated;
	let world: Moderated;

	beforeAll(async () => {
		[plainWorld, world] = [await startModerated([]), await startModerated([])];
		for (const [place, name] of NAMES.entries()) {
			await uploaded(plainWorld.service, PICTURE, `${place}.png`);
			await uploaded(world.service, PICTURE, name);
		}
	}, 60_000);
	afterAll(async () => {
		await plainWorld?.[Symbol.asyncDispose]();
		await world?.[Symbol.asyncDispose]();
	});

	test.each([
		[80, 24],
		[40, 12],
	])(
		"stand in frames of %d × %d of which no line wraps or lacks a cell [tui.text.width]",
		async (columns, rows) => {
			const meant = await screenWith(plainWorld.profile, columns, rows, "15.png");
			const found = await screenWith(world.profile, columns, rows, ".png");
			// A line that is too long or too short moves what is behind it, and all lines below: each ends where it does with plain names.
			expect(found.cells).toEqual(meant.cells);
			const ends = (lines: readonly string[]) => lines.map((line) => [line.at(0), line.at(-1)]);
			expect(ends(found.lines)).toEqual(ends(meant.lines));
			expect(meant.cells.filter((cells) => cells === columns).length).toBeGreaterThan(rows / 2);
		},
		120_000,
	);
});
