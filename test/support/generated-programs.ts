/* For tests only: what is written with each generated client. All print the same four lines: the id, the ids that are listed, what a wrong import is told, and that the image is gone. */

export const OPENAPI_FETCH_PROGRAM = `
import createClient from "openapi-fetch";
import type { paths } from "./schema";

const client = createClient<paths>({
	baseUrl: process.env.SVC_URL ?? "",
	headers: { Authorization: \`Bearer \${process.env.SVC_KEY}\` },
});
const form = new FormData();
form.append("file", Bun.file("photo.png"));
form.append("labels", JSON.stringify({ album: "fetch" }));
const uploaded = await client.POST("/v1/images", { body: { file: "" }, bodySerializer: () => form });
const id = uploaded.data?.id ?? "";
console.log(id);
const listed = await client.GET("/v1/images", { params: { query: { labels: "album=fetch" } } });
console.log(listed.data?.data.map((image) => image.id).join());
const refused = await client.POST("/v1/images#import", { body: { url: "http://127.0.0.1:1/photo.png" } });
console.log(refused.response.status, refused.error?.error.code);
const deleted = await client.DELETE("/v1/images/{id}", { params: { path: { id } } });
console.log(deleted.data?.deleted);
`;

export const HEY_API_PROGRAM = `
import { createImage, deleteImage, importImage, listImages } from "./hey";
import { client } from "./hey/client.gen";

client.setConfig({ baseUrl: process.env.SVC_URL ?? "", auth: () => process.env.SVC_KEY });
const file = new File([await Bun.file("photo.png").arrayBuffer()], "photo.png", { type: "image/png" });
const uploaded = await createImage({ body: { file, labels: JSON.stringify({ album: "hey" }) } });
const id = uploaded.data?.id ?? "";
console.log(id);
const listed = await listImages({ query: { labels: "album=hey" } });
console.log(listed.data?.data.map((image) => image.id).join());
const refused = await importImage({ body: { url: "http://127.0.0.1:1/photo.png" } });
console.log(refused.response?.status, refused.error?.error.code);
const deleted = await deleteImage({ path: { id } });
console.log(deleted.data?.deleted);
`;

export const PYTHON_PROGRAM = `
import os

from svc_client import AuthenticatedClient
from svc_client.api.images import create_image, delete_image, import_image, list_images
from svc_client.models import CreateImageBody, ImportImageBody
from svc_client.types import File

client = AuthenticatedClient(base_url=os.environ["SVC_URL"], token=os.environ["SVC_KEY"])
with open("photo.png", "rb") as photo:
    body = CreateImageBody(file=File(payload=photo, file_name="photo.png"), labels='{"album": "python"}')
    uploaded = create_image.sync(client=client, body=body)
print(uploaded.id)
print(",".join(image.id for image in list_images.sync(client=client, labels="album=python").data))
refused = import_image.sync_detailed(client=client, body=ImportImageBody(url="http://127.0.0.1:1/photo.png"))
print(int(refused.status_code), refused.parsed.error.code)
print(str(delete_image.sync(uploaded.id, client=client).deleted).lower())
`;
