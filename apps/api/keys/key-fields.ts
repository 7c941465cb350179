import { PERMISSIONS } from "@svc/base/enumerations";
import { publishedAt as instant } from "@svc/images/image-fields";
import { named } from "@svc/variants/shape";
import * as v from "valibot";

const PERMISSIONS_RULE = "must hold read, write or both";

export const permission = named("Permission", v.picklist(PERMISSIONS, PERMISSIONS_RULE));

/** What a key may do. */
export const keyPermissions = v.pipe(
	v.array(permission, PERMISSIONS_RULE),
	v.minLength(1, PERMISSIONS_RULE),
	v.maxLength(PERMISSIONS.length, PERMISSIONS_RULE),
);

/** When a key ends by itself; null for never. */
export const keyExpiry = v.optional(v.nullable(instant));
