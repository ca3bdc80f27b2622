-- Tells the server when another program writes a document: an agent records while its user looks at
-- the source. Neovim itself watches files for servers on macOS and Windows, from 0.10 on; elsewhere this
-- module does, one folder at a time, for the folders that hold documents.

local client = require('toolpath.client')
local workspace = require('toolpath.workspace')

local uv = vim.loop

local M = {}

-- LSP FileChangeType.
local created, changed, deleted = 1, 2, 3

-- Milliseconds that a folder must be quiet: a document is written in pieces.
local quiet = 100

-- Client id -> { root, stamps: document -> what tells one content from another; watchers: folder ->
-- handle; timer }.
local watched = {}

local function neovim_watches()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  local files = capabilities.workspace.didChangeWatchedFiles
  return files and files.dynamicRegistration
end

local function stamp_of(file)
  local stat = uv.fs_stat(file)
  return stat and ('%d.%d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size)
end

local function read(root)
  local stamps, folders = {}, { [root] = true }
  workspace.each_document(root, function(dir, name)
    local file = dir .. '/' .. name
    stamps[file] = stamp_of(file)
    folders[dir] = true
  end)
  return stamps, folders
end

local function changes_between(before, after)
  local changes = {}
  local function add(file, kind)
    table.insert(changes, { uri = vim.uri_from_fname(file), type = kind })
  end
  for file, stamp in pairs(after) do
    if before[file] ~= stamp then
      add(file, before[file] and changed or created)
    end
  end
  for file in pairs(before) do
    if not after[file] then
      add(file, deleted)
    end
  end
  return changes
end

local look

local function on_event(id)
  local state = watched[id]
  if not state then
    return
  end
  state.timer = state.timer or uv.new_timer()
  state.timer:start(quiet, 0, vim.schedule_wrap(function()
    look(id)
  end))
end

local function watch_folders(id, state, folders)
  for folder, handle in pairs(state.watchers) do
    if not folders[folder] then
      handle:close()
      state.watchers[folder] = nil
    end
  end
  for folder in pairs(folders) do
    if not state.watchers[folder] then
      local handle = uv.new_fs_event()
      handle:start(folder, {}, function()
        on_event(id)
      end)
      state.watchers[folder] = handle
    end
  end
end

local function stop(id)
  local state = watched[id]
  watched[id] = nil
  for _, handle in pairs(state.watchers) do
    handle:close()
  end
  if state.timer then
    state.timer:close()
  end
end

-- Reads the folders again and tells the server what differs.
look = function(id)
  local state = watched[id]
  local server = vim.lsp.get_client_by_id(id)
  if not server then
    return state and stop(id)
  end
  local stamps, folders = read(state.root)
  local changes = changes_between(state.stamps, stamps)
  state.stamps = stamps
  watch_folders(id, state, folders)
  if #changes > 0 then
    client.notify(server, 'workspace/didChangeWatchedFiles', { changes = changes })
  end
end

-- Watches the documents of a client's workspace, unless they are watched already.
function M.watch(server)
  local root = server and server.config.root_dir
  if not root or watched[server.id] or neovim_watches() then
    return
  end
  local stamps, folders = read(root)
  local state = { root = root, stamps = stamps, watchers = {} }
  watched[server.id] = state
  watch_folders(server.id, state, folders)
end

-- Looks again when the user comes back: a document in a new folder is not among the watched ones.
function M.on_focus(group)
  vim.api.nvim_create_autocmd('FocusGained', {
    group = group,
    callback = function()
      for id in pairs(watched) do
        look(id)
      end
    end,
  })
end

return M
