import { cp, mkdir, mkdtemp, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/* A container image, built by the Dockerfile and started as a container would be, on a machine without a daemon and without a registry. */

const ROOT = join(import.meta.dir, "../..");

/** A folder with the system that the Dockerfile builds on, as debootstrap makes it. */
export const imageBase: string | undefined = process.env.SVC_TEST_IMAGE_BASE || undefined;

/** For the titles of tests that build the image: a run without its base says so. */
export const imageNote = imageBase ? "" : " (SKIPPED: SVC_TEST_IMAGE_BASE names no system to build on)";

/** What the image says about how it is started. */
interface ImageConfig {
	readonly User: string;
	readonly Env: readonly string[];
	readonly Entrypoint: readonly string[];
	readonly Cmd: readonly string[];
	readonly WorkingDir: string;
	readonly StopSignal: string;
	readonly Healthcheck: { readonly Test: readonly string[] };
	readonly Volumes: Readonly<Record<string, object>>;
	readonly Labels: Readonly<Record<string, string>>;
}

interface Inspected {
	readonly Docker: { readonly config: ImageConfig };
}

export interface BuiltImage extends AsyncDisposable {
	readonly config: ImageConfig;
	/** Where its files are. */
	readonly root: string;
	/** Its entry point with its command as process 1, on a root that cannot be written; as the image's user, or another. */
	start(data: string, env: Readonly<Record<string, string>>, user?: string): Promise<Container>;
}

export interface Container {
	/** Everything printed so far. */
	printed(): string;
	/** A program of the image in the running container. */
	exec(...words: string[]): Promise<{ readonly exit: number; readonly out: string }>;
	signal(name: NodeJS.Signals): void;
	readonly exited: Promise<number>;
	/** Ends it at once, if it has not ended yet. */
	kill(): Promise<void>;
}

/** Mounts the image's files over themselves read-only, the volume writable, and goes there for good. */
const ENTER = `
set -e
root=$1 data=$2 user=$3; shift 3
mount --bind "$root" "$root"
mount --bind "$data" "$root/data"
mount -o remount,ro,bind "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o ro tmpfs "$root/tmp"
exec chroot --userspec="$user" "$root" "$@"
`;

/** @throws Error with what the builder said */
export async function buildImage(base: string): Promise<BuiltImage> {
	const work = await mkdtemp(join(tmpdir(), "svc-image-"));
	const at = ["--root", join(work, "store"), "--runroot", join(work, "run"), "--storage-driver"];
	const isolation = { BUILDAH_ISOLATION: "chroot" };
	// Copies of whole systems work everywhere; layers, which are faster, not where the disk is made of layers itself.
	const driver = await output(["buildah", ...at, "overlay", "from", "scratch"], isolation).then(
		() => "overlay",
		() => "vfs",
	);
	const buildah = async (...words: string[]) => (await output(["buildah", ...at, driver, ...words], isolation)).trim();
	// The two images that the Dockerfile names are made of the system at hand.
	const system = await buildah("from", "scratch");
	await output(["cp", "--archive", `${base}/.`, await buildah("mount", system)]);
	await buildah("commit", "--quiet", system, "docker.io/library/debian:trixie-slim");
	const runtime = join(work, "bun");
	await cp(await readlink("/proc/self/exe"), runtime);
	await buildah("copy", system, runtime, "/usr/local/bin/bun");
	await buildah("commit", "--rm", "--quiet", system, "docker.io/oven/bun:1.4.5");
	const architecture = process.arch === "x64" ? "amd64" : process.arch;
	const flags = ["--pull-never", "--format", "docker", "--layers=false", "--build-arg", `TARGETARCH=${architecture}`];
	const cache = (await output([process.execPath, "pm", "cache"])).trim();
	await mkdir(cache, { recursive: true });
	const kept = ["--volume", `${cache}:/root/.bun/install/cache`];
	await buildah(
		"bud",
		...flags,
		...kept,
		"--tag",
		"localhost/svc:test",
		"--file",
		join(ROOT, "deploy/Dockerfile"),
		ROOT,
	);
	const container = await buildah("from", "--pull-never", "localhost/svc:test");
	const root = await buildah("mount", container);
	const { Docker } = JSON.parse(await buildah("inspect", "--type", "image", "localhost/svc:test")) as Inspected;
	const { config } = Docker;
	const enter = join(work, "enter.sh");
	await writeFile(enter, ENTER);
	return {
		config,
		root,
		start: (data, env, user = config.User) => start({ root, data, enter, config, env, user }),
		async [Symbol.asyncDispose]() {
			await buildah("umount", container);
			await buildah("rm", "--all");
			await rm(work, { recursive: true, force: true });
		},
	};
}

interface Start {
	readonly root: string;
	readonly data: string;
	readonly enter: string;
	readonly config: ImageConfig;
	readonly env: Readonly<Record<string, string>>;
	readonly user: string;
}

async function start({ root, data, enter, config, env, user }: Start): Promise<Container> {
	const { Env, Entrypoint, Cmd, WorkingDir } = config;
	const variables = [...Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
	const given = ["/usr/bin/env", "-i", "-C", WorkingDir, ...variables];
	const child = Bun.spawn(
		[
			...["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", enter, root, data, user],
			...[...given, ...Entrypoint, ...Cmd],
		],
		{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
	);
	let text = "";
	for (const stream of [child.stdout, child.stderr]) {
		void (async () => {
			for await (const chunk of stream) text += new TextDecoder().decode(chunk);
		})();
	}
	const [group, owner] = user.split(":").reverse();
	/** As the machine counts it; in its own count it is 1. */
	const first = async () => (await Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text()).trim();
	return {
		printed: () => text,
		async exec(...words) {
			const identity = [`--setuid=${owner}`, `--setgid=${group}`];
			const target = ["nsenter", `--target=${await first()}`, "--mount", "--pid", "--root", "--wd", ...identity];
			const run = Bun.spawn([...target, ...given, ...words], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
			const out = await new Response(run.stdout).text();
			return { exit: await run.exited, out };
		},
		signal: (name) => void first().then((pid) => process.kill(Number(pid), name)),
		exited: child.exited,
		async kill() {
			child.kill("SIGKILL");
			await child.exited;
		},
	};
}

async function output(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
	const child = Bun.spawn([...command], {
		env: { ...process.env, ...env },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}\n${out}${err}`);
	return out;
}
