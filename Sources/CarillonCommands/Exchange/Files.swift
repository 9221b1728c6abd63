import Glibc

/// Whether a file is there and may be read.
func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }
