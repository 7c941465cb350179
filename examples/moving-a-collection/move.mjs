/* Moves the pictures of an App's posts to the service, and then the posts to their new addresses. Run it again for what is missing. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const readLines = (file) =>
	existsSync(file)
		? readFileSync(file, "utf8")
				.trim()
				.split("\n")
				.filter(Boolean)
				.map((line) => JSON.parse(line))
		: [];

const posts = read("posts.json");
const oldAddresses = new Map(posts.filter(({ moved }) => !moved).map((post) => [`post-${post.id}`, post]));

// 1. What there is: an address, and what the App knows of it. The id makes a second run know the picture again.
const manifest = [...oldAddresses].map(([external_id, { picture, title, date, topic }]) =>
	JSON.stringify({ address: picture, external_id, caption: title, date, labels: { topic } }),
);
if (manifest.length === 0) {
	console.log("Every post has its new address.");
	process.exit(0);
}
writeFileSync("pictures.jsonl", `${manifest.join("\n")}\n`);

// 2. The service fetches them. It can be cut off at any moment: the next run goes on.
const svc = process.platform === "win32" ? "svc.cmd" : "svc";
const { status, error } = spawnSync(
	svc,
	["migrate", "pictures.jsonl", "--came", "came.jsonl", "--report", "missing.jsonl"],
	{
		stdio: "inherit",
		shell: process.platform === "win32",
	},
);
if (error) throw error;
// 3 says that some did not come; what did is taken all the same.
if (status !== 0 && status !== 3) process.exit(status ?? 1);

// 3. The posts get the new addresses; a whole new file takes the place of the old one.
for (const { external_id, url } of readLines("came.jsonl")) {
	const post = oldAddresses.get(external_id);
	if (post) Object.assign(post, { picture: url, moved: true });
}
writeFileSync("posts.json.new", `${JSON.stringify(posts, null, "\t")}\n`);
renameSync("posts.json.new", "posts.json");

const left = posts.filter(({ moved }) => !moved);
console.log(`${posts.length - left.length} of ${posts.length} posts have their new address.`);
for (const { external_id, why } of readLines("missing.jsonl")) console.log(`${external_id}: ${why}`);
process.exit(status);
