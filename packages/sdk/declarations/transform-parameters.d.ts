export declare const PARAMETERS: {
    /** The short side becomes 320, 640 or 1080 pixels, never more than it has; `social` is a card of 1200×630. `w`, `h` and `fit` then mean nothing. */
    readonly size: {
        readonly kind: "choice";
        readonly values: readonly ["s", "m", "l", "social"];
    };
    /** What the picture is encoded as. By default the format stays, and a `social` card is a JPEG. `auto` is AVIF or WebP where the request's `Accept` names them, AVIF for stills of up to 2 megapixels. */
    readonly format: {
        readonly kind: "choice";
        readonly values: readonly ["jpg", "png", "webp", "avif", "gif", "auto"];
    };
    /** The width in pixels, after turning. Alone it keeps the proportions. */
    readonly w: {
        readonly kind: "whole";
        readonly min: 1;
        readonly max: 4096;
        readonly unit: "px";
        readonly demand: "a whole number from 1 to 4096";
    };
    /** The height in pixels, after turning. Alone it keeps the proportions. */
    readonly h: {
        readonly kind: "whole";
        readonly min: 1;
        readonly max: 4096;
        readonly unit: "px";
        readonly demand: "a whole number from 1 to 4096";
    };
    /** How many pixels a screen has for each that is asked for: `w`, `h`, `blur`, `radius` and the short side of `s`, `m` and `l` are multiplied by it, within their bounds. */
    readonly dpr: {
        readonly kind: "decimal";
        readonly min: 1;
        readonly max: 3;
        readonly decimals: 2;
        readonly usual: 1;
        readonly demand: "a number from 1 to 3";
    };
    /** How `w` and `h` are filled: `scale-down` and `crop` never enlarge, `cover` and `crop` cut, `contain` and `pad` add bars, `squeeze` distorts. */
    readonly fit: {
        readonly kind: "choice";
        readonly values: readonly ["scale-down", "contain", "cover", "crop", "pad", "squeeze"];
        readonly usual: "scale-down";
    };
    /** What a cut keeps: faces, where there are none the subject, and without one what the eye goes to; or the named side. */
    readonly gravity: {
        readonly kind: "choice";
        readonly values: readonly ["auto", "face", "left", "right", "top", "bottom"];
        readonly usual: "auto";
    };
    /** How close a cut with `gravity=face` comes to the faces. */
    readonly zoom: {
        readonly kind: "decimal";
        readonly min: 0;
        readonly max: 1;
        readonly decimals: 3;
        readonly usual: 0;
        readonly demand: "a number from 0 to 1";
    };
    /** The point that a cut keeps as near to its middle as can be: shares of the turned picture's width and height. `gravity` and `zoom` then mean nothing. */
    readonly focus: {
        readonly kind: "point";
        readonly decimals: 4;
        readonly words: readonly ["center", "top-left", "top-right", "bottom-left", "bottom-right"];
        readonly demand: "x,y, each from 0 to 1, or one of center, top-left, top-right, bottom-left, bottom-right";
    };
    /** The quality of a JPEG, WebP or AVIF. By default 80, 85 for WebP and 67 for AVIF, which look alike; `auto` is the lowest from 40 to 90 that is still close to the picture. */
    readonly q: {
        readonly kind: "whole";
        readonly min: 1;
        readonly max: 100;
        readonly words: readonly ["high", "medium-high", "medium-low", "low", "auto"];
        readonly demand: "a whole number from 1 to 100, or one of high, medium-high, medium-low, low, auto";
    };
    /** A WebP of exactly the picture's pixels; `q` then means nothing. */
    readonly lossless: {
        readonly kind: "choice";
        readonly values: readonly [true];
    };
    /** 0 is black, 2 is twice as bright. */
    readonly brightness: {
        readonly kind: "decimal";
        readonly min: 0;
        readonly max: 10;
        readonly decimals: 3;
        readonly usual: 1;
        readonly demand: "a number from 0 to 10";
    };
    /** 0 is grey, more than 1 drives bright and dark apart. */
    readonly contrast: {
        readonly kind: "decimal";
        readonly min: 0;
        readonly max: 10;
        readonly decimals: 3;
        readonly usual: 1;
        readonly demand: "a number from 0 to 10";
    };
    /** Less than 1 brightens the middle tones, more than 1 darkens them; 0 changes nothing. */
    readonly gamma: {
        readonly kind: "decimal";
        readonly min: 0;
        readonly max: 10;
        readonly decimals: 3;
        readonly usual: 1;
        readonly demand: "a number from 0 to 10";
    };
    /** 0 takes the colours away. */
    readonly saturation: {
        readonly kind: "decimal";
        readonly min: 0;
        readonly max: 10;
        readonly decimals: 3;
        readonly usual: 1;
        readonly demand: "a number from 0 to 10";
    };
    /** The radius in pixels. */
    readonly blur: {
        readonly kind: "whole";
        readonly min: 0;
        readonly max: 250;
        readonly usual: 0;
        readonly unit: "px";
        readonly demand: "a whole number from 0 to 250";
    };
    /** How much edges are sharpened. */
    readonly sharp: {
        readonly kind: "decimal";
        readonly min: 0;
        readonly max: 10;
        readonly decimals: 3;
        readonly usual: 0;
        readonly demand: "a number from 0 to 10";
    };
    /** Degrees, clockwise. */
    readonly rotate: {
        readonly kind: "choice";
        readonly values: readonly [90, 180, 270];
        readonly unit: "°";
    };
    /** Mirrors sideways, upside down or both, before `rotate`. */
    readonly flip: {
        readonly kind: "choice";
        readonly values: readonly ["h", "v", "hv"];
    };
    /** A border of one colour goes. */
    readonly trim: {
        readonly kind: "choice";
        readonly values: readonly ["border"];
    };
    /** A piece of the upright picture, in its own pixels: `x,y,w,h`. All else sees only the piece. What lies outside of the picture is ignored, and so is `trim` beside it. */
    readonly crop: {
        readonly kind: "piece";
        readonly unit: "px";
        readonly demand: "x,y,w,h in whole pixels, w and h at least 1";
    };
    /** That frame of an animation, as a still; past its end the last one. The first is 0. */
    readonly frame: {
        readonly kind: "whole";
        readonly min: 0;
        readonly max: 499;
        readonly demand: "a whole number from 0 to 499";
    };
    /** What the file says about itself: with `copyright`, who made it, but neither place nor device; nothing; or with `keep` all of it, to whoever has the address: an App forbids that by its delivery policy. */
    readonly metadata: {
        readonly kind: "choice";
        readonly values: readonly ["copyright", "none", "keep"];
        readonly usual: "copyright";
    };
    /** A JPEG of a photo with a gain map (Ultra HDR) brings it along, made smaller and cut like the picture: a screen that can be brighter than white shows it so, and every other one shows the picture as ever. `off` leaves it out; so does every parameter that changes colours or lays something over the picture, and `metadata=none`. */
    readonly hdr: {
        readonly kind: "choice";
        readonly values: readonly ["off"];
    };
    /** Everything behind the subject becomes transparent, or `background`. An animation stays as it is: `frame` makes a still of it. */
    readonly segment: {
        readonly kind: "choice";
        readonly values: readonly ["foreground"];
    };
    /** Fills bars and what is transparent. */
    readonly background: {
        readonly kind: "colour";
        readonly demand: "a CSS colour";
    };
    /** The subject stays as it is; what is behind it is blurred, greyed or darkened. Not beside `segment`. An animation stays as it is. `blur-faces` makes every face unrecognisable, and a still of an animation; nothing that the file says about itself stays. Better one too many: now and then something that only resembles a face is hidden as well (in 3 of 12 pictures without faces, such as a spoon and foxes of stone). */
    readonly fx: {
        readonly kind: "choice";
        readonly values: readonly ["blur-bg", "color-pop", "darken-bg", "blur-faces"];
    };
    /** How strong `fx` is: the radius of `blur-bg` (0 to 250, by default 60), the light that `darken-bg` leaves (0.05 to 1, by default 0.5). */
    readonly strength: {
        readonly kind: "decimal";
        readonly min: 0;
        readonly max: 250;
        readonly decimals: 3;
        readonly demand: "a number from 0 to 250";
    };
    /** Another image of the same storage is laid over this one, again and again. */
    readonly tile: {
        readonly kind: "image";
        readonly demand: "an image or the id of one";
    };
    /** How much of `tile` is seen. */
    readonly tile_opacity: {
        readonly kind: "decimal";
        readonly min: 0;
        readonly max: 1;
        readonly decimals: 2;
        readonly usual: 1;
        readonly demand: "a number from 0 to 1";
    };
    /** Another image of the same storage is laid over this one, once. */
    readonly overlay: {
        readonly kind: "image";
        readonly demand: "an image or the id of one";
    };
    /** Where `overlay` lies, a fortieth of the short side from the edges. */
    readonly overlay_at: {
        readonly kind: "choice";
        readonly values: readonly ["bottom-right", "bottom", "bottom-left", "left", "center", "right", "top-left", "top", "top-right"];
        readonly usual: "bottom-right";
    };
    /** The width of `overlay`, as a share of the picture's; less where it would be too high. */
    readonly overlay_w: {
        readonly kind: "decimal";
        readonly min: 0.01;
        readonly max: 1;
        readonly decimals: 2;
        readonly usual: 0.25;
        readonly demand: "a number from 0.01 to 1";
    };
    /** How much of `overlay` is seen. */
    readonly overlay_opacity: {
        readonly kind: "decimal";
        readonly min: 0;
        readonly max: 1;
        readonly decimals: 2;
        readonly usual: 1;
        readonly demand: "a number from 0 to 1";
    };
    /** Rounded corners of the finished picture, in pixels; `max` rounds half of its short side. Outside it is transparent, or `background` where the format has no transparency. */
    readonly radius: {
        readonly kind: "whole";
        readonly min: 1;
        readonly max: 2048;
        readonly words: readonly ["max"];
        readonly unit: "px";
        readonly demand: "a whole number from 1 to 2048, or max";
    };
    /** The answer is about the picture: its size and format, those of the stored one, a placeholder, colours, faces and where the eye goes. */
    readonly info: {
        readonly kind: "choice";
        readonly values: readonly ["json"];
    };
    /** The name under which the picture is saved rather than shown; its ending is that of the format. */
    readonly dl: {
        readonly kind: "name";
        readonly demand: "1 to 100 characters without / and \\";
    };
};
