import { expect, test } from "bun:test";
import { nearestPath } from "./near-paths.ts";

const PATHS = [
	"/v1/images",
	"/v1/images/:id",
	"/v1/images/:id/labels",
	"/v1/images/batch",
	"/v1/usage",
	"/v1/apps/:app/keys",
	"/openapi.json",
];

test("a mistyped path names the nearest one, and what resembles none names none", () => {
	for (const [sent, near] of [
		["/v1/image", "/v1/images"],
		["/v1/imgaes/", "/v1/images"],
		["/V1/Images", "/v1/images"],
		["/images", "/v1/images"],
		["/api/images", "/v1/images"],
		["/api/v1/images", "/v1/images"],
		["/v2/usage", "/v1/usage"],
		["/v1/images/img_1/label", "/v1/images/{id}/labels"],
		["/v1/app/app_1/key", "/v1/apps/{app}/keys"],
		["/v1/elephants", undefined],
		["/v1/images/a/b/c", undefined],
		["/", undefined],
		["/wp-login.php", undefined],
		[`/v1/${"a".repeat(200)}`, undefined],
		["//", undefined],
	] as const) {
		expect([sent, nearestPath(sent, PATHS)]).toEqual([sent, near]);
	}
});
