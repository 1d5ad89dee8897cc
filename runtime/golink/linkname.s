// This file is empty. Functions without bodies, which linkname pulls from the
// runtime, are only accepted in packages with assembly.
