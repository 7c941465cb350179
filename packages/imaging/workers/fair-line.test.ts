import { describe, expect, test } from "bun:test";
import { Failure } from "@svc/base/failure";
import { MIB, many, openLine, settled } from "@svc/test/support/fair-line";

describe("lanes", () => {
	test("dear work never takes the last place, so cheap work is never behind it", async () => {
		const { ask, line } = openLine();
		const dear = many(5, () => ask("dear"));
		await settled();
		expect(line.running).toBe(1);
		const cheap = ask("cheap", { network: "visitor" });
		await settled();
		expect(cheap.outcome()).toBe("runs");
		expect(dear.filter((one) => one.outcome() === "runs")).toHaveLength(1);
	});

	test("with one place cheap work goes first", async () => {
		const { ask, began } = openLine({ places: 1 });
		const first = ask("dear");
		const dear = ask("dear");
		const cheap = ask("cheap");
		await first.end();
		expect(began).toEqual([first.name, cheap.name]);
		await cheap.end();
		expect(dear.outcome()).toBe("runs");
	});

	test("an upload is behind a flood of cheap work for two seconds at most, and the flood is not behind uploads", async () => {
		const { ask, hand, began } = openLine();
		const running = many(2, () => ask("cheap"));
		many(20, () => ask("cheap"));
		const uploads = many(5, () => ask("ingest", { network: "app" }));
		await hand.pass(2_000);
		await running[0]?.end();
		await running[1]?.end();
		const [one, other] = began.slice(2);
		expect([one, other].filter((name) => name === uploads[0]?.name)).toHaveLength(1);
		expect([one, other].filter((name) => name?.startsWith("cheap"))).toHaveLength(1);
	});

	test("dear work gets its place after a while, however much cheap work there is", async () => {
		const { ask, hand } = openLine();
		const cheap = many(200, () => ask("cheap"));
		const dear = ask("dear");
		for (let turn = 0; dear.outcome() === "waits"; turn++) {
			expect(turn).toBeLessThan(100);
			await hand.pass(100);
			await cheap.find((one) => one.outcome() === "runs")?.end();
			cheap.push(ask("cheap"));
		}
		expect(dear.outcome()).toBe("runs");
	});
});

describe("a fair share", () => {
	test("the network that had least is next, though another stands in line with a hundred", async () => {
		const { ask, began } = openLine();
		const flood = many(100, () => ask("cheap", { network: "flood" }));
		const visitor = ask("cheap", { network: "visitor" });
		await flood[0]?.end();
		expect(began.at(-1)).toBe(visitor.name);
	});

	test("counts priced time, not requests", async () => {
		const { ask, began } = openLine({ places: 1 });
		const first = ask("cheap", { network: "heavy", cpuMs: 200 });
		const heavy = ask("cheap", { network: "heavy", cpuMs: 200 });
		const light = many(3, () => ask("cheap", { network: "light", cpuMs: 90 }));
		await first.end();
		for (const one of light.slice(0, 2)) await one.end();
		expect(began).toEqual([first, ...light].map(({ name }) => name));
		await light[2]?.end();
		expect(began.at(-1)).toBe(heavy.name);
	});

	test("what was had more than ten seconds ago counts no more", async () => {
		const { ask, hand, began } = openLine({ places: 1 });
		await ask("cheap", { network: "a", cpuMs: 5_000 }).end();
		await hand.pass(10_001);
		const holder = ask("cheap", { network: "c" });
		const [a, b] = [ask("cheap", { network: "a" }), ask("cheap", { network: "b" })];
		await holder.end();
		expect(began.at(-1)).toBe(a.name);
		expect(b.outcome()).toBe("waits");
	});

	test("among the Apps of one network the one that had least is next", async () => {
		const { ask, began } = openLine({ places: 1 });
		const first = ask("cheap", { app: "one" });
		ask("cheap", { app: "one" });
		const other = ask("cheap", { app: "two" });
		await first.end();
		expect(began.at(-1)).toBe(other.name);
	});

	test("nobody has more than half of the places while others wait, and alone all of them", async () => {
		const { ask, line } = openLine({ places: 4 });
		const flood = many(20, () => ask("cheap", { network: "flood", app: "x" }));
		await settled();
		expect(flood.filter((one) => one.outcome() === "runs")).toHaveLength(4);
		const others = many(4, (index) => ask("cheap", { network: `other ${index}`, app: "y", cpuMs: 9_000 }));
		for (const one of flood.slice(0, 4)) await one.end();
		expect(flood.filter((one) => one.outcome() === "runs")).toHaveLength(2);
		expect(others.filter((one) => one.outcome() === "runs")).toHaveLength(2);
		expect(line.running).toBe(4);
	});
});

describe("the line", () => {
	test("lets all of a page wait", async () => {
		const { ask } = openLine();
		const page = many(100, () => ask("cheap"));
		for (const one of page) await one.end();
		expect(page.map((one) => one.outcome())).toEqual(many(100, () => "done"));
	});

	test("refuses the newest of whoever has most in it when it is full", async () => {
		const { ask, line } = openLine({ waiting: 8 });
		const flood = many(10, () => ask("cheap", { network: "flood" }));
		const visitor = ask("cheap", { network: "visitor" });
		await settled();
		expect(visitor.outcome()).toBe("waits");
		expect(flood[9]?.outcome()).toBe("refused");
		expect(flood[9]?.failure()).toBeInstanceOf(Failure);
		expect(flood[9]?.failure()).toMatchObject({ code: "server_error", timedOut: true });
		const late = ask("cheap", { network: "flood" });
		await settled();
		expect(late.outcome()).toBe("refused");
		expect([line.waiting, line.shed]).toEqual([8, 2]);
	});

	test("holds a quarter as many dear requests, who may wait three times as long", async () => {
		const { ask, hand } = openLine({ waiting: 8 });
		const cheap = many(4, () => ask("cheap"));
		const dear = many(4, () => ask("dear"));
		await settled();
		expect(dear.map((one) => one.outcome())).toEqual(["waits", "waits", "refused", "refused"]);
		await hand.pass(10_000);
		expect(cheap.map((one) => one.outcome())).toEqual(["runs", "runs", "refused", "refused"]);
		await hand.pass(19_999);
		expect(dear[0]?.outcome()).toBe("waits");
		await hand.pass(1);
		expect(dear[0]?.outcome()).toBe("refused");
	});

	test("tells to come back when what stands before is done, in 1 to 30 seconds", async () => {
		const { ask } = openLine({ waiting: 4 });
		const quick = many(7, () => ask("cheap", { cpuMs: 10 }));
		await settled();
		expect(quick[6]?.failure()).toMatchObject({ retryAfterSeconds: 1 });
		const slow = openLine({ waiting: 4 });
		const long = many(7, () => slow.ask("cheap", { cpuMs: 4_000 }));
		await settled();
		expect(long[6]?.failure()).toMatchObject({ retryAfterSeconds: 12 });
		const endless = openLine({ waiting: 4 });
		const ages = many(7, () => endless.ask("cheap", { cpuMs: 60_000 }));
		await settled();
		expect(ages[6]?.failure()).toMatchObject({ retryAfterSeconds: 30 });
	});

	test("is served newest first once it has not been empty for five seconds", async () => {
		const { ask, hand, began } = openLine({ places: 1 });
		const first = ask("cheap");
		const old = ask("cheap");
		await hand.pass(5_000);
		const fresh = ask("cheap");
		await first.end();
		expect(began.at(-1)).toBe(fresh.name);
		await fresh.end();
		expect(began.at(-1)).toBe(old.name);
		await old.end();
		const again = many(3, () => ask("cheap"));
		await again[0]?.end();
		expect(began.at(-1)).toBe(again[1]?.name ?? "");
	});

	test("forgets who leaves, at once", async () => {
		const { ask, line } = openLine({ places: 1 });
		const running = ask("cheap");
		const [leaving, staying] = [ask("cheap"), ask("cheap")];
		leaving.leave();
		expect([line.waiting, line.abandoned]).toEqual([1, 1]);
		await running.end();
		expect([leaving.outcome(), staying.outcome()]).toEqual(["left", "runs"]);
		// Who runs holds its place until the work has ended: what was abandoned still uses the processor.
		staying.leave();
		await settled();
		expect(line.running).toBe(1);
	});
});

describe("memory", () => {
	test("work waits for its bytes, and cheap work finds some beside any dear work", async () => {
		const { ask, line } = openLine({ places: 4, bytes: 640 * MIB });
		const dear = [ask("dear", { bytes: 400 * MIB }), ask("dear", { bytes: 200 * MIB })];
		const cheap = ask("cheap", { bytes: 64 * MIB });
		await settled();
		expect([...dear, cheap].map((one) => one.outcome())).toEqual(["runs", "waits", "runs"]);
		expect(line.bytes).toBe(464 * MIB);
		await dear[0]?.end();
		expect(dear[1]?.outcome()).toBe("runs");
	});

	test("something large that has waited for long is not passed by any more", async () => {
		const { ask, hand } = openLine({ places: 4 });
		const first = ask("dear", { bytes: 300 * MIB });
		const large = ask("dear", { bytes: 500 * MIB });
		const upload = ask("ingest", { bytes: 200 * MIB });
		await settled();
		expect([large.outcome(), upload.outcome()]).toEqual(["waits", "runs"]);
		await hand.pass(2_000);
		await upload.end();
		const due = ask("ingest", { bytes: 500 * MIB, network: "other" });
		await hand.pass(2_000);
		const small = ask("ingest", { bytes: 200 * MIB });
		await settled();
		expect([due.outcome(), small.outcome()]).toEqual(["waits", "waits"]);
		expect(ask("cheap").outcome()).toBe("waits");
		await settled();
		await first.end();
		expect(due.outcome()).toBe("runs");
	});

	test("what alone is larger than all memory runs alone", async () => {
		const { ask } = openLine({ bytes: 100 * MIB });
		const cheap = ask("cheap");
		const huge = ask("ingest", { bytes: 200 * MIB });
		await settled();
		expect(huge.outcome()).toBe("waits");
		await cheap.end();
		expect(huge.outcome()).toBe("runs");
	});
});
