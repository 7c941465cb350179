import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type LeaseHolder, LeaseTaken, takeLease } from "@svc/storage/s3/lease";
import { type S3Requests, s3Requests } from "@svc/storage/s3/requests";
import { type FakeS3, fakeS3 } from "../support/s3.ts";
import { PACE } from "./s3-bucket.ts";

let s3: FakeS3;
let requests: S3Requests;
beforeEach(async () => {
	s3 = await fakeS3();
	requests = s3Requests(s3.bucket, PACE, { warn: () => undefined });
});
afterEach(() => s3.close());

const holder = (token: string, together = false): LeaseHolder => ({ token, installation: `ins_${token}`, together });
const leases = () => [...s3.objects.keys()].filter((key) => key.startsWith("lease/"));

function age(milliseconds: number): void {
	for (const key of leases()) {
		const found = s3.objects.get(key);
		if (found) s3.objects.set(key, { ...found, writtenMs: Date.now() - milliseconds });
	}
}

describe("the lease on a bucket", () => {
	test("is one holder's: another one is refused, and told whose it is", async () => {
		const lease = await takeLease(requests, holder("a"));
		const refused = await takeLease(requests, holder("b")).catch((cause: unknown) => cause);
		expect(refused).toBeInstanceOf(LeaseTaken);
		expect(refused).toMatchObject({ installation: "ins_a" });
		expect([lease.isHeld(), lease.isLost()]).toEqual([true, false]);
		await lease.renew();
		expect(leases().length).toBe(1);
	});

	test("ends when it is released, and when nobody has renewed it for 90 seconds", async () => {
		await (await takeLease(requests, holder("a"))).release();
		expect(leases()).toEqual([]);
		await takeLease(requests, holder("b"));
		age(80_000);
		await expect(takeLease(requests, holder("c"))).rejects.toBeInstanceOf(LeaseTaken);
		age(91_000);
		expect((await takeLease(requests, holder("c"))).isHeld()).toBe(true);
		expect(leases().length).toBe(1);
	});

	test("of one that was silent and lost it is not renewed any more, and it leaves the other's alone", async () => {
		const silent = await takeLease(requests, holder("a"));
		age(91_000);
		const next = await takeLease(requests, holder("b"));
		await expect(silent.renew()).rejects.toBeInstanceOf(LeaseTaken);
		expect([silent.isHeld(), silent.isLost()]).toEqual([false, true]);
		await silent.release();
		await next.renew();
		expect(next.isHeld()).toBe(true);
	});

	test("goes to one of many who take it at once", async () => {
		await takeLease(requests, holder("old"));
		age(91_000);
		const tokens = Array.from({ length: 12 }, (_, place) => `t${place}`);
		const settled = await Promise.allSettled(tokens.map((token) => takeLease(requests, holder(token))));
		const taken = settled.filter((one) => one.status === "fulfilled");
		expect(taken.length).toBe(1);
		await taken[0]?.value.renew();
	});

	test("is shared by those who work together, and outlives each of them", async () => {
		const [one, other] = [await takeLease(requests, holder("a", true)), await takeLease(requests, holder("a", true))];
		await one.renew();
		await other.renew();
		await one.release();
		await expect(takeLease(requests, holder("b"))).rejects.toBeInstanceOf(LeaseTaken);
		await other.renew();
		expect([one.isLost(), other.isHeld()]).toEqual([false, true]);
	});

	test("is taken again at once by the one that was killed with it", async () => {
		await takeLease(requests, holder("a"));
		const again = await takeLease(requests, holder("a"));
		await again.renew();
		expect([again.isHeld(), leases().length]).toEqual([true, 1]);
	});

	test("is written again where somebody emptied the bucket", async () => {
		const lease = await takeLease(requests, holder("a"));
		s3.objects.clear();
		await lease.renew();
		expect([lease.isHeld(), leases().length]).toEqual([true, 1]);
	});

	test("is taken where the answer that it was written got lost", async () => {
		s3.fail("PUT", { kind: "lose-answer" }, 1, /lease/);
		const lease = await takeLease(requests, holder("a"));
		await lease.renew();
		expect(lease.isHeld()).toBe(true);
	});
});
