package onec

import (
	"slices"
	"sync"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/store"
)

// maxDirectories is how many directories are kept while nobody uses them.
const maxDirectories = 4

// directoryCache has the directories of the sessions whose archives were read last. Requests, imports and images of
// one session share a directory, and only one of them reads it. It is safe for concurrent use.
type directoryCache struct {
	mu   sync.Mutex
	list []*cachedDirectory
	// sweeping says that sweep is going to be called.
	sweeping bool
}

// cachedDirectory is a directory of the cache.
type cachedDirectory struct {
	storeID store.ID
	session int64
	files   []sessionFile // the archives
	dir     *directory
	// read is closed when the directory was read. problem is then why it could not be, if that is not in the archives.
	read    chan struct{}
	problem error

	// The lock of the cache guards these. A directory that has users stays in the cache.
	users  int
	usedAt time.Time
}

// open returns the directory of the archives of a package, or an error and the directory that has it as its problem.
// The caller must call release with the directory.
func (c *directoryCache) open(p *sessionPackage, files []sessionFile) (*directory, error) {
	for {
		e, reads := c.enter(p, files)
		if reads {
			c.read(e, p)
		}

		select {
		case <-e.read:
		case <-p.ctx.Done():
			c.leave(e)
			return nil, p.ctx.Err()
		}

		if e.problem == nil {
			return e.dir, e.dir.problem
		}

		c.leave(e)
		if reads || p.ctx.Err() != nil {
			return nil, e.problem
		}
		// It may be the problem of the other user, whose request has ended.
	}
}

// enter returns the directory of these archives and counts a user of it. It reports whether the caller must read it.
func (c *directoryCache) enter(p *sessionPackage, files []sessionFile) (e *cachedDirectory, reads bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.list, func(e *cachedDirectory) bool {
		return e.storeID == p.storeID && e.session == p.session && slices.EqualFunc(e.files, files, sameContent)
	})
	if i < 0 {
		i = len(c.list)
		c.list = append(c.list, &cachedDirectory{storeID: p.storeID, session: p.session, files: files,
			dir: newDirectory(files), read: make(chan struct{})})
		reads = true
	}
	c.list[i].users++
	return c.list[i], reads
}

// read reads a directory and tells those that wait for it.
func (c *directoryCache) read(e *cachedDirectory, p *sessionPackage) {
	defer close(e.read)
	e.dir.grant = p.s.ImportShare.Open(store.MemoryOwner(p.storeID))
	err := p.readDirectory(e.dir, func(bytes int64) error { return p.s.growImport(e.dir.grant, bytes) })
	switch kind := fault.KindOf(err); {
	case err == nil:
	case kind == fault.Malformed || kind == fault.Invalid:
		e.dir.refuse(err)
	default:
		e.problem = err
		e.dir.refuse(err)
		c.mu.Lock()
		c.list = slices.DeleteFunc(c.list, func(other *cachedDirectory) bool { return other == e })
		c.mu.Unlock()
	}
}

// giveUp gives up the directories that have no users.
func (c *directoryCache) giveUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trim(0)
}

// growImport acquires memory. If there is not enough, it gives up what is only kept for later use.
func (s *Service) growImport(g *memory.Grant, bytes int64) error {
	if err := g.Grow(bytes); err == nil {
		return nil
	}
	s.giveUpPackages()
	return g.Grow(bytes)
}

// release ends the use of a directory that open has returned.
func (c *directoryCache) release(d *directory) {
	c.mu.Lock()
	i := slices.IndexFunc(c.list, func(e *cachedDirectory) bool { return e.dir == d })
	var e *cachedDirectory
	if i >= 0 {
		e = c.list[i]
	}
	c.mu.Unlock()
	if e != nil {
		c.leave(e)
	}
}

// leave ends the use of a directory.
func (c *directoryCache) leave(e *cachedDirectory) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.users--
	e.usedAt = time.Now()
	c.trim(maxDirectories)
	if !c.sweeping && len(c.list) > 0 {
		c.sweeping = true
		time.AfterFunc(packageLifetime, c.sweep)
	}
}

// sweep gives up the directories that nobody has used for packageLifetime.
func (c *directoryCache) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := time.Now().Add(-packageLifetime)
	c.drop(func(e *cachedDirectory) bool { return !e.usedAt.After(old) })
	c.sweeping = len(c.list) > 0
	if c.sweeping {
		time.AfterFunc(packageLifetime, c.sweep)
	}
}

// trim gives up the directories without users, beginning with the one that was used first, until the cache has at most
// so many. The caller holds the lock.
func (c *directoryCache) trim(most int) {
	slices.SortStableFunc(c.list, func(a, b *cachedDirectory) int { return a.usedAt.Compare(b.usedAt) })
	excess := len(c.list) - most
	c.drop(func(*cachedDirectory) bool {
		excess--
		return excess >= 0
	})
}

// drop gives up the directories without users for which the function returns true. The caller holds the lock.
func (c *directoryCache) drop(isOld func(e *cachedDirectory) bool) {
	c.list = slices.DeleteFunc(c.list, func(e *cachedDirectory) bool {
		if e.users > 0 || !isOld(e) {
			return false
		}
		e.dir.grant.Release()
		return true
	})
}
