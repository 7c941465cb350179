import { describe, expect, test } from "bun:test";
import { loggedPath, SECRET_BELOW } from "@svc/base/http/logged-path";
import { Glob } from "bun";
import { serviceFor } from "../../support/service.ts";

/* No log line holds the secret of an address, however the address is written. */

const service = serviceFor();
const SECRET = "SeCrEtSeCrEtSeCrEtSeCrEtSeCrEtSeCrEtSeCrEt0";
const ROUNDS = 20;
const seed = Number(process.env.SVC_TEST_SEED ?? 20_261_128);

/** Draws the same numbers for the same seed. */
function drawing(from: number): () => number {
	let state = from;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

/** The same path in another spelling: some letters escaped, once or twice, some in the other case, some slashes doubled. */
function spelled(path: string, draw: () => number): string {
	return [...path]
		.map((letter) => {
			const drawn = draw();
			const escaped = `%${letter.charCodeAt(0).toString(16)}`;
			if (drawn < 0.2) return escaped;
			if (drawn < 0.25) return escaped.replace("%", "%25");
			if (letter === "/") return drawn < 0.35 ? "//" : letter;
			return drawn < 0.3 ? letter.toUpperCase() : letter;
		})
		.join("");
}

describe.each([...SECRET_BELOW])("%s/…", (path) => {
	const isHidden = (text: string) => !text.toLowerCase().includes(SECRET.slice(0, 12).toLowerCase());

	test(`is cut in each of ${ROUNDS} spellings of it (seed ${seed})`, () => {
		const draw = drawing(seed);
		for (let round = 0; round < ROUNDS; round++) {
			const sent = `/${spelled(path.slice(1), draw)}/${SECRET}${round % 2 === 0 ? "" : "/%zz/more"}`;
			expect([sent, loggedPath(sent)]).toEqual([sent, `${path}/…`]);
		}
	});

	test("stands in no line that the service logs, whatever the method, at either address", async () => {
		const draw = drawing(seed);
		const { web } = service.rooms.addresses;
		const before = service.log.lines.length;
		for (let round = 0; round < ROUNDS; round++) {
			const sent = `/${spelled(path.slice(1), draw)}/${SECRET}`;
			const method = ["GET", "POST", "DELETE", "PROPFIND"][round % 4] as string;
			await service.api(sent, { method });
			await service.open(`${web}${sent}`, { method });
		}
		const lines = service.log.lines.slice(before).map((line) => JSON.stringify(line));
		expect(lines.length).toBeGreaterThanOrEqual(ROUNDS);
		expect(lines.filter((line) => !isHidden(line))).toEqual([]);
	});
});

test("other paths are logged as they came", () => {
	for (const path of [
		"/",
		"/v1/images/img_1",
		"/v1/upload_tickets/upt_1",
		"/v1/uploads",
		"/account/%6cinks/x",
		"/%zz",
		"/a%",
	]) {
		expect(loggedPath(path)).toBe(path);
	}
});

test("each route with a token in its path is among them", async () => {
	const root = `${import.meta.dir}/../../..`;
	for await (const file of new Glob("apps/{api,pages}/**/*.{ts,tsx}").scan(root)) {
		const source = await Bun.file(`${root}/${file}`).text();
		const link = /const LINK = "([^"]+)"/.exec(source)?.[1] ?? "";
		for (const [, path = ""] of source.matchAll(/["`]([^"`\s]*)\/:token["`]/g)) {
			expect(SECRET_BELOW).toContain(path.replace(/^\$\{LINK\}/, link));
		}
	}
});
