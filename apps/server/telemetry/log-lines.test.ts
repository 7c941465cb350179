import { expect, test } from "bun:test";
import { gathered } from "./log-lines.ts";

const failing = (code: string) => Object.assign(new Error(code), { code });

test("what is logged in one turn goes out at once, whole and in order, however little a write takes", async () => {
	let said = "";
	let calls = 0;
	const log = gathered((bytes) => {
		calls++;
		const taken = bytes.subarray(0, 40);
		said += new TextDecoder().decode(taken);
		return taken.length;
	});
	for (let line = 0; line < 9; line++) log.write(`line ${line}\n`);
	expect(calls).toBe(0);
	await Bun.sleep(5);
	expect([said, calls]).toEqual([Array.from({ length: 9 }, (_, line) => `line ${line}\n`).join(""), 2]);
});

test("lines whose reader is gone are lost, and nobody waits for it", async () => {
	let calls = 0;
	const log = gathered(() => {
		calls++;
		throw failing("EPIPE");
	});
	log.write("lost\n");
	await Bun.sleep(250);
	expect(calls).toBe(1);
	log.write("lost, too\n");
	await Bun.sleep(5);
	expect(calls).toBe(2);
});

test("a reader that takes no more for a moment gets every line afterwards, once", async () => {
	let said = "";
	let isFull = true;
	const log = gathered((bytes) => {
		if (isFull) throw failing("EAGAIN");
		said += new TextDecoder().decode(bytes);
		return bytes.length;
	});
	log.write("one\n");
	await Bun.sleep(5);
	log.write("two\n");
	isFull = false;
	await Bun.sleep(250);
	expect(said).toBe("one\ntwo\n");
});
