import { describe, expect, test } from "bun:test";
import { deploymentSecret, newDeploymentSecret } from "./deployment-secret.ts";
import { Keyring } from "./keyring.ts";

const one = deploymentSecret(newDeploymentSecret());
const two = deploymentSecret(newDeploymentSecret());
const FORMER = new Uint8Array(32).fill(7);

interface World {
	readonly secrets?: readonly (typeof one)[];
	readonly former?: Uint8Array<ArrayBuffer>;
	readonly takesFormer?: boolean;
}

const ringOf = ({ secrets = [one], former, takesFormer = false }: World) =>
	new Keyring({ secrets, findFormerKey: async () => former, takesFormer: () => takesFormer });
const hex = (key: Uint8Array) => key.toHex();

describe("the keys of a process", () => {
	test("make with the first secret and take the second", async () => {
		const keys = await ringOf({ secrets: [one, two] }).versions("logins", hex);
		const [first, second] = [one, two].map((secret) => hex(secret.derive("logins")));
		expect([keys.current(), keys.all()]).toEqual([String(first), [String(first), String(second)]]);
	});

	test("make with what every living process has: the second secret, then the first, and an older release's key beside such a process", async () => {
		const ring = ringOf({ secrets: [one, two], former: FORMER, takesFormer: true });
		const keys = await ring.versions("logins", hex);
		const made = (known: readonly (string | null)[]) => {
			ring.noteProcesses(known);
			return keys.current();
		};
		const both = `${one.fingerprint},${two.fingerprint}`;
		expect(made([both, two.fingerprint])).toBe(hex(two.derive("logins")));
		expect(made([both, both])).toBe(hex(one.derive("logins")));
		expect(made([both, null])).toBe(hex(FORMER));
		expect(made([both, ""])).toBe(hex(FORMER));
	});

	test("of an older release are taken for their time, and alone where there is no secret", async () => {
		const [derived, former] = [hex(one.derive("logins")), hex(FORMER)];
		const taken = async (world: World) => (await ringOf({ former: FORMER, ...world }).versions("logins", hex)).all();
		expect(await taken({ takesFormer: true })).toEqual([derived, former]);
		expect(await taken({ takesFormer: false })).toEqual([derived]);
		expect(await taken({ secrets: [] })).toEqual([former]);
	});

	test("seal only once that is asked for, and open what either secret has sealed, or what is not sealed", () => {
		const ring = ringOf({ secrets: [one, two] });
		expect(ring.seal("text", "row")).toBe("text");
		ring.startSealing();
		const sealed = ring.seal("text", "row");
		expect(sealed).toStartWith(`sealed:${one.fingerprint}:`);
		expect([sealed, two.seal("text", "row"), "text"].map((one) => ring.open(one, "row"))).toEqual([
			"text",
			"text",
			"text",
		]);
		ring.noteProcesses([null]);
		expect(ring.seal("text", "row")).toBe("text");
		const stranger = deploymentSecret(newDeploymentSecret());
		expect(() => ring.open(stranger.seal("text", "row"), "row")).toThrow(stranger.fingerprint);
	});
});
